package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Indices of several dimensions: the last dimension of a tensor holds one index. */
public final class NdIndices {
  /** An attr of the ops that take such indices. */
  public static final String POLICY = "bad_indices_policy: string = ''";

  private NdIndices() {}

  /** What becomes of bad indices can be chosen in TensorFlow; here they are an error always. */
  public static void checkPolicy(NodeSpec node) {
    String policy = node.attrs().string("bad_indices_policy");
    if (!policy.isEmpty() && !policy.equals("DEFAULT") && !policy.equals("ERROR")) {
      throw StatusException.unimplemented(
          "node %s (op %s): bad_indices_policy %s is not supported, only ERROR",
          node.name(), node.op().name(), policy);
    }
  }

  /** The shape of {@code indices} without the dimension that holds an index. */
  static Shape outer(Shape indices) {
    return indices.sub(0, indices.rank() - 1);
  }

  /** How many dimensions an index has. */
  static int depth(Shape indices) {
    return (int) indices.size(indices.rank() - 1);
  }

  /**
   * The number of the slice of a tensor of {@code shape} that each of {@code indices} means;
   * messages call the shape {@code what}, and end in {@code suffix}.
   */
  static int[] slices(Tensor indices, Shape shape, String what, String suffix) {
    int depth = depth(indices.shape());
    int[] slices = new int[outer(indices.shape()).elements()];
    for (int i = 0; i < slices.length; i++) {
      for (int axis = 0; axis < depth; axis++) {
        long index = indices.integer(i * depth + axis);
        if (index < 0 || index >= shape.size(axis)) {
          throw invalidArgument(
              "indices%s = [%s] does not index into %s %s%s",
              GatherOps.position(outer(indices.shape()), i),
              text(indices, i * depth, depth),
              what,
              shape,
              suffix);
        }
        slices[i] = slices[i] * (int) shape.size(axis) + (int) index;
      }
    }
    return slices;
  }

  private static String text(Tensor indices, int from, int count) {
    return Arrays.stream(indices.integers(), from, from + count)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", "));
  }
}

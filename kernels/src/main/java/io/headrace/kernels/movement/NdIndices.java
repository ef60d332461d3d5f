package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Multi-dimensional indices, as GatherNd and ScatterNd take them: the last dimension of the index
 * tensor holds the components of one index.
 */
public final class NdIndices {
  /** The declaration of attr {@code bad_indices_policy}. */
  public static final String POLICY = "bad_indices_policy: string = ''";

  private NdIndices() {}

  /** UNIMPLEMENTED unless {@code node} asks for an error on an index that is out of range. */
  public static void checkPolicy(NodeSpec node) {
    String policy = node.attrs().string("bad_indices_policy");
    if (!policy.isEmpty() && !policy.equals("DEFAULT") && !policy.equals("ERROR")) {
      throw StatusException.unimplemented(
          "node %s (op %s): bad_indices_policy %s is not supported, only ERROR",
          node.name(), node.op().name(), policy);
    }
  }

  /** The shape of {@code indices} without its last dimension. */
  static Shape outer(Shape indices) {
    return indices.sub(0, indices.rank() - 1);
  }

  /** The number of components of an index. */
  static int depth(Shape indices) {
    return (int) indices.size(indices.rank() - 1);
  }

  /**
   * The linear slice numbers of {@code indices} in a tensor of {@code shape}.
   *
   * @param what the name of the shape in messages
   * @param suffix the end of messages
   * @throws StatusException INVALID_ARGUMENT if an index is out of range
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

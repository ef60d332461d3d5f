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

  /** The slice number of an index that is out of range. */
  static final int BAD = -1;

  private NdIndices() {}

  /**
   * The value of attr {@code bad_indices_policy} of {@code node}: whether its kernel skips indices
   * that are out of range, instead of failing. INVALID_ARGUMENT if there is no such policy.
   */
  public static boolean skipsBad(NodeSpec node) {
    String policy = node.attrs().string("bad_indices_policy");
    return switch (policy) {
      case "", "DEFAULT", "ERROR" -> false;
      case "IGNORE" -> true;
      default -> throw invalidArgument("Unknown bad indices handling attribute: %s", policy);
    };
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
   * The linear slice numbers of {@code indices} in a tensor of {@code shape}; {@link #BAD} for an
   * index that is out of range, if {@code skipsBad}.
   *
   * @param what the name of the shape in messages
   * @param suffix the end of messages
   * @throws StatusException INVALID_ARGUMENT if an index is out of range and not skipped
   */
  static int[] slices(Tensor indices, Shape shape, boolean skipsBad, String what, String suffix) {
    int depth = depth(indices.shape());
    int[] slices = new int[outer(indices.shape()).elements()];
    for (int i = 0; i < slices.length; i++) {
      slices[i] = slice(indices, i * depth, depth, shape);
      if (slices[i] == BAD && !skipsBad) {
        throw invalidArgument(
            "indices%s = [%s] does not index into %s %s%s",
            GatherOps.position(outer(indices.shape()), i),
            text(indices, i * depth, depth),
            what,
            shape,
            suffix);
      }
    }
    return slices;
  }

  private static int slice(Tensor indices, int from, int depth, Shape shape) {
    int slice = 0;
    for (int axis = 0; axis < depth; axis++) {
      long index = indices.integer(from + axis);
      if (index < 0 || index >= shape.size(axis)) {
        return BAD;
      }
      slice = slice * (int) shape.size(axis) + (int) index;
    }
    return slice;
  }

  private static String text(Tensor indices, int from, int count) {
    return Arrays.stream(indices.integers(), from, from + count)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", "));
  }
}

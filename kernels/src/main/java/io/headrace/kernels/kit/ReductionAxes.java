package io.headrace.kernels.kit;

import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.BitSet;
import java.util.List;

/** The axes of a reduction, read from its {@code reduction_indices} input. */
public final class ReductionAxes {
  private ReductionAxes() {}

  /**
   * The axes of {@code shape} in {@code indices}; a negative index counts from the end.
   *
   * @throws StatusException INVALID_ARGUMENT if an axis is out of range or occurs twice
   */
  public static BitSet of(Tensor indices, Shape shape) {
    BitSet axes = named(indices, shape);
    if (axes.cardinality() < indices.elements()) {
      throw StatusException.invalidArgument(
          "Invalid reduction arguments: Axes contains duplicate dimension: %d",
          firstRepeated(indices, shape));
    }
    return axes;
  }

  private static int firstRepeated(Tensor indices, Shape shape) {
    BitSet seen = new BitSet();
    for (long index : indices.integers()) {
      int axis = (int) (index < 0 ? index + shape.rank() : index);
      if (seen.get(axis)) {
        return axis;
      }
      seen.set(axis);
    }
    throw new IllegalArgumentException("none is repeated in " + indices);
  }

  private static BitSet named(Tensor indices, Shape shape) {
    BitSet axes = new BitSet();
    for (long index : indices.integers()) {
      if (index < -shape.rank() || index >= shape.rank()) {
        throw StatusException.invalidArgument(
            "Invalid reduction dimension (%d for input with %d dimension(s)", index, shape.rank());
      }
      axes.set((int) (index < 0 ? index + shape.rank() : index));
    }
    return axes;
  }

  /**
   * The shape of the result: {@code shape} without {@code axes}, or with size 1 along them if
   * {@code keep} is true.
   */
  public static Shape reduced(Shape shape, BitSet axes, boolean keep) {
    long[] sizes = new long[shape.rank() - (keep ? 0 : axes.cardinality())];
    int next = 0;
    for (int axis = 0; axis < shape.rank(); axis++) {
      if (!axes.get(axis)) {
        sizes[next++] = shape.size(axis);
      } else if (keep) {
        sizes[next++] = 1;
      }
    }
    return Shape.of(sizes);
  }

  /** The shape function of reductions: input 0 is reduced along the axes in input 1. */
  public static List<Shape> shape(ShapeFunction.Inputs in) {
    boolean keep = in.attrs().bool("keep_dims");
    Shape shape = in.shape(0);
    Tensor indices = in.constant(1);
    if (shape.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    if (indices == null) {
      return List.of(keep ? Shapes.ofRank(shape.rank()) : Shape.UNKNOWN);
    }
    return List.of(reduced(shape, named(indices, shape), keep));
  }
}

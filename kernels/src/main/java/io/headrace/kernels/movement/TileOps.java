package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tile: a tensor repeated along each of its axes. */
final class TileOps {
  private TileOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Tile(input: T, multiples: Tmultiples) -> output: T")
            .attrs("T: type", "Tmultiples: {int32, int64} = int32")
            .shape(TileOps::tileRule)
            .runsOnGpu("multiples")
            .kernel(MoveKernel.of(TileOps::tile)));
  }

  private static @Nullable List<Movement> tile(Rows rows) {
    Tensor multiples = rows.same(1);
    if (multiples == null) {
      return null;
    }
    Shape shape = rows.shape(0);
    Shape result = tiled(shape, multiples);
    int[] from = AxisMoves.strides(shape);
    int[] to = AxisMoves.strides(result);
    return new OutputMoves(rows, rows.dtype(0), result)
        .copy(
            0,
            0,
            0,
            copy -> {
              for (int axis = 0; axis < from.length; axis++) {
                int size = (int) shape.size(axis);
                copy.dimension((int) multiples.integer(axis), 0, to[axis] * size);
                copy.dimension(size, from[axis], to[axis]);
              }
            })
        .only();
  }

  private static Shape tiled(Shape shape, Tensor multiples) {
    if (multiples.shape().rank() != 1) {
      throw invalidArgument("Expected multiples to be 1-D, but got shape %s", multiples.shape());
    }
    if (multiples.elements() != shape.rank()) {
      throw invalidArgument(
          "Expected multiples argument to be a vector of length %d but got length %d",
          shape.rank(), multiples.elements());
    }
    long[] sizes = shape.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      long multiple = multiples.integer(axis);
      if (multiple < 0) {
        throw invalidArgument("Expected multiples[%d] >= 0, but got %d", axis, multiple);
      }
      sizes[axis] = product(sizes[axis], multiple);
    }
    return Shape.of(sizes);
  }

  private static long product(long size, long multiple) {
    long product = Shapes.multiply(size, multiple);
    if (product < 0 && size >= 0) {
      throw invalidArgument("a dimension of %d cannot be repeated %d times", size, multiple);
    }
    return product;
  }

  private static List<Shape> tileRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Tensor multiples = in.constant(1);
    if (multiples == null) {
      int rank = Math.max(shape.rank(), TransposeOps.knownLength(in.shape(1)));
      return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
    }
    return List.of(tiled(Shapes.withRank(shape, multiples.elements()), multiples));
  }
}

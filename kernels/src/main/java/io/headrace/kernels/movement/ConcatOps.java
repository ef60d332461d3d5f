package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Concat and ConcatV2 join tensors along an axis. ConcatOffset gives the offset of each input in
 * the output, by which the gradient is sliced.
 */
final class ConcatOps {
  private ConcatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ConcatV2(values: N * T, axis: Tidx) -> output: T")
            .attrs("N: int", "T: type", "Tidx: {int32, int64} = int32")
            .shape(in -> concatRule(in, 0, in.count() - 1))
            .runsOnGpu("axis")
            .kernel(MoveKernel.of(rows -> concat(rows, 0, rows.inputs() - 1))),
        Op.define("Concat(concat_dim: int32, values: N * T) -> output: T")
            .attrs("N: int", "T: type")
            .shape(in -> concatRule(in, 1, 0))
            .runsOnGpu("concat_dim")
            .kernel(MoveKernel.of(rows -> concat(rows, 1, 0))),
        Op.define(
                "ConcatOffset(concat_dim: int32, shape: N * shape_type) -> (offset: N *"
                    + " shape_type)")
            .attrs("N: int", "shape_type: {int32, int64} = int32")
            .shape(in -> {
              List<Shape> shapes = new ArrayList<>();
              for (int i = 1; i < in.count(); i++) {
                shapes.add(in.shape(i));
              }
              return shapes;
            })
            .kernel(RowKernel.of(ConcatOps::offsets)));
  }

  /**
   * Joins the value inputs.
   *
   * @param first the index of the first value input
   * @param axisInput the index of the axis input
   */
  private static @Nullable List<Movement> concat(Rows rows, int first, int axisInput) {
    Tensor dim = rows.same(axisInput);
    if (dim == null) {
      return null;
    }
    int values = rows.inputs() - 1;
    checkConcatDim(dim);
    Shape shape = rows.shape(first);
    if (shape.rank() == 0) {
      throw invalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
    }
    Integer axis = Shapes.axis(dim.integer(0), shape.rank());
    if (axis == null) {
      throw invalidArgument(
          "ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %d",
          -shape.rank(), shape.rank(), dim.integer(0));
    }
    long size = 0;
    for (int i = 0; i < values; i++) {
      checkFits(shape, rows.shape(first + i), axis, i);
      size += rows.shape(first + i).size(axis);
    }
    return join(rows, first, values, axis, Shapes.withSize(shape, axis, size));
  }

  private static void checkConcatDim(Tensor dim) {
    if (dim.elements() != 1) {
      throw invalidArgument(
          "axis tensor should be a scalar integer, but got shape %s", dim.shape());
    }
  }

  private static void checkFits(Shape first, Shape other, int axis, int index) {
    if (other.rank() != first.rank()) {
      throw invalidArgument(
          "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
          first, index, other);
    }
    for (int i = 0; i < first.rank(); i++) {
      if (i != axis && first.size(i) != other.size(i)) {
        throw invalidArgument(
            "ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] ="
                + " %s",
            i, first, index, other);
      }
    }
  }

  /**
   * The output of inputs that are concatenated along {@code axis}.
   *
   * @param first the index of the first input
   * @param values number of inputs
   * @param result the shape of the output
   */
  static List<Movement> join(Rows rows, int first, int values, int axis, Shape result) {
    OutputMoves moves = new OutputMoves(rows, rows.dtype(first), result);
    int outer = result.sub(0, axis).elements();
    int block = outer == 0 ? 0 : result.elements() / outer;
    int at = 0;
    for (int i = first; i < first + values; i++) {
      int size = outer == 0 ? 0 : rows.shape(i).elements() / outer;
      moves.copy(i, 0, at, copy -> copy.dimension(outer, size, block).dimension(size, 1, 1));
      at += size;
    }
    return moves.only();
  }

  private static List<Shape> concatRule(ShapeFunction.Inputs in, int first, int axisInput) {
    int values = in.count() - 1;
    Tensor dim = in.constant(axisInput);
    int rank = -1;
    for (int i = 0; i < values; i++) {
      rank = Math.max(rank, in.shape(first + i).rank());
    }
    if (dim == null || rank < 0) {
      return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
    }
    Integer axis = Shapes.axis(dim.integer(0), rank);
    if (axis == null) {
      throw invalidArgument("axis %d of a shape of %d dimensions", dim.integer(0), rank);
    }
    return List.of(concatenated(in, first, values, Shapes.ofRank(rank), axis));
  }

  private static Shape concatenated(
      ShapeFunction.Inputs in, int first, int values, Shape unknown, int axis) {
    Shape merged = unknown;
    long size = 0;
    for (int i = first; i < first + values; i++) {
      Shape shape = Shapes.withRank(in.shape(i), unknown.rank());
      size = Shapes.add(size, shape.size(axis));
      merged = Shapes.merge(merged, Shapes.withSize(shape, axis, Shape.UNKNOWN_DIMENSION));
    }
    return Shapes.withSize(merged, axis, size);
  }

  private static boolean offsets(Rows rows) {
    List<Tensor> shapes = new ArrayList<>();
    for (int i = 0; i < rows.inputs(); i++) {
      Tensor same = rows.same(i);
      if (same == null) {
        return false;
      }
      shapes.add(same);
    }
    Tensor dimension = shapes.removeFirst();
    int axis = offsetAxis(dimension, shapes.getFirst());
    long offset = 0;
    for (int i = 0; i < shapes.size(); i++) {
      Tensor shape = shapes.get(i);
      checkOffsetShape(shapes.getFirst(), shape, i, axis);
      long[] offsets = new long[shape.elements()];
      offsets[axis] = offset;
      rows.setSame(i, IntegerTensors.vector(shape.dtype(), offsets));
      offset += shape.integer(axis);
    }
    return true;
  }

  private static int offsetAxis(Tensor dimension, Tensor shape) {
    if (dimension.shape().rank() != 0) {
      throw invalidArgument(
          "Concat dim tensor should be a scalar integer, but got shape %s", dimension.shape());
    }
    if (shape.shape().rank() != 1) {
      throw invalidArgument("input 0 should be a vector, but got shape %s", shape.shape());
    }
    Integer axis = Shapes.axis(dimension.integer(0), shape.elements());
    if (axis == null) {
      throw invalidArgument(
          "Concat dim is out of range: %d vs. %d", dimension.integer(0), shape.elements());
    }
    return axis;
  }

  private static void checkOffsetShape(Tensor first, Tensor shape, int index, int axis) {
    if (shape.shape().rank() != 1) {
      throw invalidArgument("input %d should be a vector, but got shape %s", index, shape.shape());
    }
    if (shape.elements() != first.elements()) {
      throw invalidArgument(
          "input %d should contain %d elements, but got %d",
          index, first.elements(), shape.elements());
    }
    for (int i = 0; i < first.elements(); i++) {
      if (i != axis && first.integer(i) != shape.integer(i)) {
        throw invalidArgument(
            "All dimensions except %d must match. Input %d has shape %s and doesn't match input 0"
                + " with shape %s.",
            axis, index, text(shape), text(first));
      }
    }
  }

  private static String text(Tensor shape) {
    return "["
        + String.join(" ", LongStream.of(shape.integers()).mapToObj(Long::toString).toList())
        + "]";
  }
}

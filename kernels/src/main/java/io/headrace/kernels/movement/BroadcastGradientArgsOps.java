package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

/** What gradients need to know of shapes: where broadcasting repeated, where joined parts begin. */
final class BroadcastGradientArgsOps {
  private BroadcastGradientArgsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T)")
            .attrs("T: {int32, int64} = int32")
            .shape(BroadcastGradientArgsOps::vectors)
            .kernel(RowKernel.of(BroadcastGradientArgsOps::repeatedAxes)),
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
            .kernel(RowKernel.of(BroadcastGradientArgsOps::offsets)));
  }

  private static List<Shape> vectors(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    Shapes.withRank(in.shape(1), 1);
    return Collections.nCopies(2, Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  /** For both shapes, the dimensions along which a gradient is added up. */
  private static boolean repeatedAxes(Rows rows) {
    Tensor first = rows.same(0);
    Tensor second = rows.same(1);
    if (first == null || second == null) {
      return false;
    }
    for (int i = 0; i < 2; i++) {
      if (rows.shape(i).rank() != 1) {
        throw invalidArgument("In[%d] must be a vector.%s", i, rows.shape(i));
      }
    }
    // TensorFlow tells equal shapes, of which it lists no dimension, from those that broadcast.
    boolean equal = Arrays.equals(first.integers(), second.integers());
    int rank = equal ? 0 : Math.max(first.elements(), second.elements());
    List<Long> ofFirst = new ArrayList<>();
    List<Long> ofSecond = new ArrayList<>();
    for (int axis = 0; axis < rank; axis++) {
      long a = size(first, axis - rank);
      long b = size(second, axis - rank);
      if (a != b && a != 1 && b != 1) {
        throw invalidArgument(
            "Incompatible shapes: %s vs. %s",
            Shape.of(first.integers()), Shape.of(second.integers()));
      }
      if (a == 1) {
        ofFirst.add((long) axis);
      }
      if (b == 1) {
        ofSecond.add((long) axis);
      }
    }
    rows.setSame(0, vector(rows, ofFirst));
    rows.setSame(1, vector(rows, ofSecond));
    return true;
  }

  /** The size of a dimension, counted from the end; 1 where there is none. */
  private static long size(Tensor shape, int fromEnd) {
    int axis = shape.elements() + fromEnd;
    return axis < 0 ? 1 : shape.integer(axis);
  }

  private static Tensor vector(Rows rows, List<Long> values) {
    return IntegerTensors.vector(
        rows.dtype(0), values.stream().mapToLong(Long::longValue).toArray());
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
    int axis = concatAxis(dimension, shapes.getFirst());
    long offset = 0;
    for (int i = 0; i < shapes.size(); i++) {
      Tensor shape = shapes.get(i);
      check(shapes.getFirst(), shape, i, axis);
      long[] offsets = new long[shape.elements()];
      offsets[axis] = offset;
      rows.setSame(i, IntegerTensors.vector(shape.dtype(), offsets));
      offset += shape.integer(axis);
    }
    return true;
  }

  private static int concatAxis(Tensor dimension, Tensor shape) {
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

  private static void check(Tensor first, Tensor shape, int index, int axis) {
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

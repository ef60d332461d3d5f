package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * BroadcastTo repeats a tensor to a shape. BroadcastArgs gives the shape to which two shapes
 * broadcast, BroadcastGradientArgs the axes along which the gradient of each is summed.
 */
final class BroadcastOps {
  private BroadcastOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("BroadcastTo(input: T, shape: Tidx) -> output: T")
            .attrs("T: type", "Tidx: {int32, int64} = int32")
            .shape(BroadcastOps::broadcastToRule)
            .runsOnGpu("shape")
            .kernel(MoveKernel.of(BroadcastOps::broadcastTo)),
        Op.define("BroadcastArgs(s0: T, s1: T) -> r0: T")
            .attrs("T: {int32, int64} = int32")
            .shape(BroadcastOps::broadcastArgsRule)
            .kernel(RowKernel.of(BroadcastOps::broadcastArgs)),
        Op.define("BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T)")
            .attrs("T: {int32, int64} = int32")
            .shape(BroadcastOps::vectors)
            .kernel(RowKernel.of(BroadcastOps::repeatedAxes)));
  }

  private static @Nullable List<Movement> broadcastTo(Rows rows) {
    Tensor sizes = rows.same(1);
    if (sizes == null) {
      return null;
    }
    Shape result = ShapeInputs.shape(sizes);
    Shape shape = rows.shape(0);
    checkBroadcast(shape, result);
    int[] from = AxisMoves.strides(shape);
    int[] to = AxisMoves.strides(result);
    int added = result.rank() - shape.rank();
    return new OutputMoves(rows, rows.dtype(0), result)
        .copy(
            0,
            0,
            0,
            copy -> {
              for (int axis = 0; axis < to.length; axis++) {
                boolean repeated = axis < added || shape.size(axis - added) == 1;
                int stride = repeated ? 0 : from[axis - added];
                copy.dimension((int) result.size(axis), stride, to[axis]);
              }
            })
        .only();
  }

  private static void checkBroadcast(Shape shape, Shape result) {
    if (shape.rank() > result.rank()) {
      throw invalidArgument(
          "Rank of input (%d) must be no greater than rank of output shape (%d).",
          shape.rank(), result.rank());
    }
    int added = result.rank() - shape.rank();
    boolean fits =
        IntStream.range(0, shape.rank())
            .allMatch(i -> shape.size(i) == 1 || shape.size(i) == result.size(i + added));
    if (fits) {
      return;
    }
    boolean narrower =
        IntStream.range(0, shape.rank())
            .allMatch(i ->
                shape.size(i) == 1
                    || result.size(i + added) == 1
                    || shape.size(i) == result.size(i + added));
    throw narrower
        ? invalidArgument(
            "Unable to broadcast tensor of shape %s to tensor of shape %s", shape, result)
        : invalidArgument("Incompatible shapes: %s vs. %s", shape, result);
  }

  private static List<Shape> broadcastToRule(ShapeFunction.Inputs in) {
    return List.of(Shapes.fromSizes(in, 1));
  }

  private static List<Shape> broadcastArgsRule(ShapeFunction.Inputs in) {
    Shape a = Shapes.withRank(in.shape(0), 1);
    Shape b = Shapes.withRank(in.shape(1), 1);
    return List.of(
        a.isKnown() && b.isKnown()
            ? Shape.of(Math.max(a.size(0), b.size(0)))
            : Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  private static boolean broadcastArgs(Rows rows) {
    Tensor a = rows.same(0);
    Tensor b = rows.same(1);
    if (a == null || b == null) {
      return false;
    }
    checkVectors(rows);
    long[] sizes = new long[Math.max(a.elements(), b.elements())];
    for (int axis = 0; axis < sizes.length; axis++) {
      long first = size(a, axis - sizes.length);
      long second = size(b, axis - sizes.length);
      checkEqualOrOne(first, second, a, b);
      sizes[axis] = first == 1 ? second : first;
    }
    rows.setSame(0, IntegerTensors.vector(a.dtype(), sizes));
    return true;
  }

  private static void checkVectors(Rows rows) {
    for (int i = 0; i < 2; i++) {
      if (rows.shape(i).rank() != 1) {
        throw invalidArgument("In[%d] must be a vector.%s", i, rows.shape(i));
      }
    }
  }

  /** Sizes below 0 are numbers like others, as in TensorFlow. */
  private static void checkEqualOrOne(long first, long second, Tensor a, Tensor b) {
    if (first != second && first != 1 && second != 1) {
      throw invalidArgument("Incompatible shapes: %s vs. %s", text(a), text(b));
    }
  }

  private static String text(Tensor sizes) {
    return Arrays.toString(sizes.integers()).replace(" ", "");
  }

  private static List<Shape> vectors(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    Shapes.withRank(in.shape(1), 1);
    return Collections.nCopies(2, Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  /** For each of two shapes, the dimensions along which its gradient is summed. */
  private static boolean repeatedAxes(Rows rows) {
    Tensor first = rows.same(0);
    Tensor second = rows.same(1);
    if (first == null || second == null) {
      return false;
    }
    checkVectors(rows);
    // As in TensorFlow, equal shapes have no such dimensions, not even those of size 1.
    boolean equal = Arrays.equals(first.integers(), second.integers());
    int rank = equal ? 0 : Math.max(first.elements(), second.elements());
    List<Long> ofFirst = new ArrayList<>();
    List<Long> ofSecond = new ArrayList<>();
    for (int axis = 0; axis < rank; axis++) {
      long a = size(first, axis - rank);
      long b = size(second, axis - rank);
      checkEqualOrOne(a, b, first, second);
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

  /** The size of a dimension, counted from the end; 1 for missing leading dimensions. */
  private static long size(Tensor shape, int fromEnd) {
    int axis = shape.elements() + fromEnd;
    return axis < 0 ? 1 : shape.integer(axis);
  }

  private static Tensor vector(Rows rows, List<Long> values) {
    return IntegerTensors.vector(
        rows.dtype(0), values.stream().mapToLong(Long::longValue).toArray());
  }
}

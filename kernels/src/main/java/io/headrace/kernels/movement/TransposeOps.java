package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Ops that turn, repeat and stretch tensors. */
final class TransposeOps {
  private TransposeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Transpose(x: T, perm: Tperm) -> y: T")
            .attrs("T: type", "Tperm: {int32, int64} = int32")
            .shape(TransposeOps::transposeRule)
            .kernel(RowKernel.of(rows -> transpose(rows, false))),
        Op.define("ConjugateTranspose(x: T, perm: Tperm) -> y: T")
            .attrs("T: type", "Tperm: {int32, int64} = int32")
            .shape(TransposeOps::transposeRule)
            .kernel(RowKernel.of(rows -> transpose(rows, true))),
        Op.define("Tile(input: T, multiples: Tmultiples) -> output: T")
            .attrs("T: type", "Tmultiples: {int32, int64} = int32")
            .shape(TransposeOps::tileRule)
            .kernel(RowKernel.of(TransposeOps::tile)),
        Op.define("BroadcastTo(input: T, shape: Tidx) -> output: T")
            .attrs("T: type", "Tidx: {int32, int64} = int32")
            .shape(TransposeOps::broadcastToRule)
            .kernel(RowKernel.of(TransposeOps::broadcastTo)));
  }

  private static boolean transpose(Rows rows, boolean conjugate) {
    Tensor perm = rows.same(1);
    if (perm == null) {
      return false;
    }
    Shape shape = rows.shape(0);
    int[] axes = permutation(perm, shape.rank());
    Shape result = permuted(shape, axes);
    Tensor input = rows.all(0);
    int[] strides = AxisMoves.strides(shape);
    Object array = rows.allocate(input.dtype(), result);
    StridedMove move = new StridedMove(input.dtype().kind());
    move.dimension(rows.count(), rows.stride(0), result.elements());
    int[] to = AxisMoves.strides(result);
    for (int axis = 0; axis < axes.length; axis++) {
      move.dimension((int) result.size(axis), strides[axes[axis]], to[axis]);
    }
    move.run(input.array(), input.offset(), array, 0, rows.cancellation());
    if (conjugate) {
      negateImaginary(input.dtype(), array);
    }
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static int[] permutation(Tensor perm, int rank) {
    if (perm.shape().rank() != 1) {
      throw invalidArgument("perm must be rank 1, got shape %s", perm.shape());
    }
    if (perm.elements() != rank) {
      throw invalidArgument(
          "transpose expects a vector of size %d. But input(1) is a vector of size %d",
          rank, perm.elements());
    }
    long[] values = perm.integers();
    boolean[] seen = new boolean[rank];
    for (int i = 0; i < rank; i++) {
      values[i] += values[i] < 0 ? rank : 0;
      if (values[i] < 0 || values[i] >= rank) {
        throw invalidArgument("%d is out of range [0 .. %d)", values[i], rank);
      }
      seen[(int) values[i]] = true;
    }
    for (int axis = 0; axis < rank; axis++) {
      if (!seen[axis]) {
        throw invalidArgument("%d is missing from {%s}.", axis, joined(values));
      }
    }
    return Arrays.stream(values).mapToInt(axis -> (int) axis).toArray();
  }

  private static String joined(long[] values) {
    return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  private static Shape permuted(Shape shape, int[] axes) {
    return Shape.of(Arrays.stream(axes).mapToLong(shape::size).toArray());
  }

  private static void negateImaginary(DataType dtype, Object array) {
    if (array instanceof float[] a && dtype == DataType.COMPLEX64) {
      for (int i = 1; i < a.length; i += 2) {
        a[i] = -a[i];
      }
    } else if (array instanceof double[] a && dtype == DataType.COMPLEX128) {
      for (int i = 1; i < a.length; i += 2) {
        a[i] = -a[i];
      }
    }
  }

  private static List<Shape> transposeRule(ShapeRule.Inputs in) {
    Shape shape = in.shape(0);
    Tensor perm = in.constant(1);
    if (perm != null && !shape.isUnknownRank()) {
      return List.of(permuted(shape, permutation(perm, shape.rank())));
    }
    int rank = perm != null ? perm.elements() : knownLength(in.shape(1));
    rank = rank < 0 ? shape.rank() : rank;
    return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
  }

  private static int knownLength(Shape vector) {
    return vector.rank() == 1 ? (int) vector.size(0) : -1;
  }

  private static boolean tile(Rows rows) {
    Tensor multiples = rows.same(1);
    if (multiples == null) {
      return false;
    }
    Shape shape = rows.shape(0);
    Shape result = tiled(shape, multiples);
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    StridedMove move = new StridedMove(input.dtype().kind());
    move.dimension(rows.count(), rows.stride(0), result.elements());
    int[] from = AxisMoves.strides(shape);
    int[] to = AxisMoves.strides(result);
    for (int axis = 0; axis < from.length; axis++) {
      int size = (int) shape.size(axis);
      move.dimension((int) multiples.integer(axis), 0, to[axis] * size);
      move.dimension(size, from[axis], to[axis]);
    }
    move.run(input.array(), input.offset(), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
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

  private static List<Shape> tileRule(ShapeRule.Inputs in) {
    Shape shape = in.shape(0);
    Tensor multiples = in.constant(1);
    if (multiples == null) {
      int rank = Math.max(shape.rank(), knownLength(in.shape(1)));
      return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
    }
    return List.of(tiled(Shapes.withRank(shape, multiples.elements()), multiples));
  }

  private static boolean broadcastTo(Rows rows) {
    Tensor sizes = rows.same(1);
    if (sizes == null) {
      return false;
    }
    Shape result = ShapeInputs.shape(sizes);
    Shape shape = rows.shape(0);
    checkBroadcast(shape, result);
    if (shape.equals(result)) {
      rows.setView(0, 0, result);
      return true;
    }
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    StridedMove move = new StridedMove(input.dtype().kind());
    move.dimension(rows.count(), rows.stride(0), result.elements());
    int[] from = AxisMoves.strides(shape);
    int[] to = AxisMoves.strides(result);
    int added = result.rank() - shape.rank();
    for (int axis = 0; axis < to.length; axis++) {
      boolean repeated = axis < added || shape.size(axis - added) == 1;
      move.dimension((int) result.size(axis), repeated ? 0 : from[axis - added], to[axis]);
    }
    move.run(input.array(), input.offset(), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
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

  private static List<Shape> broadcastToRule(ShapeRule.Inputs in) {
    return List.of(Shapes.fromSizes(in, 1));
  }
}

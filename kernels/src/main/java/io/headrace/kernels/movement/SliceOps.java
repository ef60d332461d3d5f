package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Movement.CopyBuilder;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slice, StridedSlice and StridedSliceGrad: a part of a tensor, and the gradient of one. */
final class SliceOps {
  private SliceOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> output: T")
            .attrs("T: type", "Index: {int32, int64}")
            .attrs(StridedSlice.MASKS)
            .shape(SliceOps::stridedSliceRule)
            .runsOnGpu("begin", "end", "strides")
            .kernel(MoveKernel.made(SliceOps::stridedSlice)),
        Op.define("Slice(input: T, begin: Index, size: Index) -> output: T")
            .attrs("T: type", "Index: {int32, int64}")
            .shape(SliceOps::sliceRule)
            .runsOnGpu("begin", "size")
            .kernel(MoveKernel.of(rows -> cut(rows, 2, SliceOps::slice))),
        Op.define(
                "StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T)"
                    + " -> output: T")
            .attrs("T: type", "Index: {int32, int64}")
            .attrs(StridedSlice.MASKS)
            .shape(in -> List.of(Shapes.fromSizes(in, 0)))
            .runsOnGpu("shape", "begin", "end", "strides")
            .kernel(MoveKernel.made(SliceOps::stridedSliceGradient)));
  }

  /** Reads the part to cut out of one row's input from the row's other inputs. */
  @FunctionalInterface
  private interface PartOf {
    StridedSlice.Part in(Rows rows, int row);
  }

  private static MoveKernel.Body stridedSlice(NodeSpec node) {
    StridedSlice slice = StridedSlice.of(node.attrs());
    return rows ->
        cut(
            rows,
            3,
            (r, row) -> {
              Tensor begin = r.row(1, row);
              Tensor end = r.row(2, row);
              Tensor strides = r.row(3, row);
              StridedSlice.checkEntries(begin.shape(), end.shape(), strides.shape());
              return slice.part(r.shape(0), begin, end, strides);
            });
  }

  private static StridedSlice.Part slice(Rows rows, int row) {
    Tensor begin = rows.row(1, row);
    Tensor size = rows.row(2, row);
    Shape shape = rows.shape(0);
    if (begin.shape().rank() != 1
        || size.shape().rank() != 1
        || begin.elements() != shape.rank()
        || size.elements() != shape.rank()) {
      throw invalidArgument(
          "Expected begin and size arguments to be 1-D tensors of size %d, but got shapes %s and %s"
              + " instead.",
          shape.rank(), begin.shape(), size.shape());
    }
    StridedSlice.Part part = new StridedSlice.Part(shape.rank());
    for (int axis = 0; axis < shape.rank(); axis++) {
      long from = begin.integer(axis);
      part.sizes[axis] = size.integer(axis) == -1 ? shape.size(axis) - from : size.integer(axis);
      checkRange(axis, from, part.sizes[axis], shape.size(axis));
      part.starts[axis] = (int) from;
      part.strides[axis] = 1;
    }
    part.shape = Shape.of(part.sizes);
    return part;
  }

  private static void checkRange(int axis, long from, long size, long dimension) {
    if (from < 0 || from > dimension) {
      throw invalidArgument("Expected begin[%d] in [0, %d], but got %d", axis, dimension, from);
    }
    if (size < 0 || from + size > dimension) {
      throw invalidArgument(
          "Expected size[%d] in [0, %d], but got %d", axis, dimension - from, size);
    }
  }

  /** Cuts a part of each row; null if they have different shapes. */
  private static @Nullable List<Movement> cut(Rows rows, int parameters, PartOf partOf) {
    boolean vary = false;
    for (int i = 1; i <= parameters; i++) {
      vary |= rows.varies(i);
    }
    StridedSlice.Part first = partOf.in(rows, 0);
    Shape shape = rows.shape(0);
    OutputMoves moves = new OutputMoves(rows, rows.dtype(0), first.shape);
    if (!vary) {
      return moves
          .copy(0, start(shape, first), 0, copy -> addPart(copy, shape, first, false))
          .only();
    }
    for (int row = 0; row < rows.count(); row++) {
      StridedSlice.Part part = row == 0 ? first : partOf.in(rows, row);
      if (!part.shape.equals(first.shape)) {
        return null;
      }
      moves.copyRow(row, 0, start(shape, part), 0, copy -> addPart(copy, shape, part, false));
    }
    return moves.only();
  }

  private static MoveKernel.Body stridedSliceGradient(NodeSpec node) {
    StridedSlice slice = StridedSlice.of(node.attrs());
    return rows -> putBack(rows, slice);
  }

  /** The gradient of the slice at the position of the slice, and zeros elsewhere. */
  private static @Nullable List<Movement> putBack(Rows rows, StridedSlice slice) {
    Tensor sizes = rows.same(0);
    Tensor begin = rows.same(1);
    Tensor end = rows.same(2);
    Tensor strides = rows.same(3);
    if (sizes == null || begin == null || end == null || strides == null) {
      return null;
    }
    if (sizes.shape().rank() != 1) {
      throw invalidArgument("shape must be 1-D, got shape.shape = %s", sizes.shape());
    }
    Shape shape = ShapeInputs.shape(sizes);
    StridedSlice.checkEntries(begin.shape(), end.shape(), strides.shape());
    StridedSlice.Part part = slice.part(shape, begin, end, strides);
    if (!rows.shape(4).equals(part.shape)) {
      throw invalidArgument("shape of dy was %s instead of %s", rows.shape(4), part.shape);
    }
    return new OutputMoves(rows, rows.dtype(4), shape)
        .zeroed()
        .copy(4, 0, start(shape, part), copy -> addPart(copy, shape, part, true))
        .only();
  }

  /** The position of the part's first element in a tensor of {@code shape}. */
  static int start(Shape shape, StridedSlice.Part part) {
    int start = 0;
    for (int axis = 0; axis < shape.rank(); axis++) {
      start = start * (int) shape.size(axis) + part.starts[axis];
    }
    return start;
  }

  /** Adds the dimensions of a copy of the part from a tensor of {@code shape}, or back into it. */
  private static void addPart(CopyBuilder copy, Shape shape, StridedSlice.Part part, boolean back) {
    int from = shape.elements();
    int to = part.shape.elements();
    for (int axis = 0; axis < shape.rank() && to > 0; axis++) {
      int size = (int) part.sizes[axis];
      from /= (int) shape.size(axis);
      to /= size;
      int stride = from * part.strides[axis];
      copy.dimension(size, back ? to : stride, back ? stride : to);
    }
    if (part.shape.elements() == 0) {
      copy.dimension(0, 0, 0);
    }
  }

  private static List<Shape> stridedSliceRule(ShapeFunction.Inputs in) {
    Shape entries = Shapes.withRank(Shapes.merge(in.shape(1), in.shape(2)), 1);
    entries = Shapes.merge(entries, in.shape(3));
    Tensor strides = in.constant(3);
    if (in.shape(0).isUnknownRank() || !entries.isKnown() || strides == null) {
      return List.of(Shape.UNKNOWN);
    }
    StridedSlice slice = StridedSlice.of(in.attrs());
    return List.of(slice.part(in.shape(0), in.constant(1), in.constant(2), strides).shape);
  }

  private static List<Shape> sliceRule(ShapeFunction.Inputs in) {
    Shape input = in.shape(0);
    Tensor sizes = in.constant(2);
    if (sizes == null) {
      return List.of(input.isUnknownRank() ? input : Shapes.ofRank(input.rank()));
    }
    return List.of(sliced(Shapes.withRank(input, sizes.elements()), in.constant(1), sizes));
  }

  private static Shape sliced(Shape input, @Nullable Tensor begin, Tensor sizes) {
    long[] result = sizes.integers();
    for (int axis = 0; axis < result.length; axis++) {
      if (result[axis] == -1 && begin != null && input.size(axis) >= 0) {
        result[axis] = input.size(axis) - begin.integer(axis);
      }
    }
    return Shape.of(result);
  }
}

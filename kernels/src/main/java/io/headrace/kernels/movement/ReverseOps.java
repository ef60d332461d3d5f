package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.AxisMoves.Segment;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ReverseV2 and Reverse reverse whole axes; ReverseSequence reverses, for each entry of a batch,
 * the first elements along an axis.
 */
final class ReverseOps {
  /** The most dimensions of a tensor that Reverse takes. */
  private static final int MOST_DIMS = 8;

  private ReverseOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ReverseV2(tensor: T, axis: Tidx) -> output: T")
            .attrs("Tidx: {int32, int64} = int32", "T: {fixedwidth, string}")
            .shape(ShapeFunctions.SAME)
            .runsOnGpu("axis")
            .kernel(MoveKernel.of(ReverseOps::reverse)),
        Op.define("Reverse(tensor: T, dims: bool) -> output: T")
            .attrs("T: {fixedwidth, string}")
            .shape(ReverseOps::reverseRule)
            .runsOnGpu("dims")
            .kernel(MoveKernel.of(ReverseOps::reverseDims)),
        Op.define("ReverseSequence(input: T, seq_lengths: Tlen) -> output: T")
            .attrs("seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = int64")
            .shape(ReverseOps::reverseSequenceRule)
            .kernel(RowKernel.made(ReverseOps::reverseSequence)));
  }

  private static @Nullable List<Movement> reverse(Rows rows) {
    Tensor axis = rows.same(1);
    if (axis == null) {
      return null;
    }
    if (rows.shape(0).rank() == 0 || rows.shape(0).elements() == 0) {
      return new OutputMoves(rows, rows.dtype(0), rows.shape(0)).all(0).only(); // with any axes
    }
    return reverse(rows, reversed(axis, rows.shape(0).rank()));
  }

  private static @Nullable List<Movement> reverseDims(Rows rows) {
    Tensor dims = rows.same(1);
    if (dims == null) {
      return null;
    }
    int rank = rows.shape(0).rank();
    if (rank == 0) {
      return new OutputMoves(rows, rows.dtype(0), rows.shape(0)).all(0).only();
    }
    if (rows.shape(0).size(0) == 0) {
      throw invalidArgument("Invalid input first dimension. Found 0.");
    }
    if (dims.shape().rank() != 1) {
      throw invalidArgument("'dims' must be 1-dimension, not %d", dims.shape().rank());
    }
    if (dims.elements() != rank) {
      throw invalidArgument(
          "'dims' must have the same number of values as 'input' has dimensions. 'input' has %d"
              + "'dims' has %d values",
          rank, dims.elements());
    }
    if (rank > MOST_DIMS) {
      throw StatusException.unimplemented("reverse is not implemented for tensors of rank > 8.");
    }
    boolean[] reversed = new boolean[rank];
    for (int i = 0; i < rank; i++) {
      reversed[i] = dims.bool(i);
    }
    return reverse(rows, reversed);
  }

  private static List<Shape> reverseRule(ShapeFunction.Inputs in) {
    Shape dims = Shapes.withRank(in.shape(1), 1);
    Shape shape = in.shape(0);
    if (shape.isUnknownRank() && dims.size(0) >= 0) {
      shape = Shapes.withRank(shape, (int) dims.size(0));
    }
    if (!shape.isUnknownRank() && shape.rank() > MOST_DIMS) {
      throw invalidArgument("reverse does not work on tensors with more than 8 dimensions");
    }
    return List.of(shape);
  }

  private static List<Movement> reverse(Rows rows, boolean[] reversed) {
    Shape shape = rows.shape(0);
    List<List<Segment>> axes = new ArrayList<>();
    for (int i = 0; i < reversed.length; i++) {
      int size = (int) shape.size(i);
      axes.add(List.of(reversed[i] ? new Segment(size, size - 1, -1, 0) : Segment.all(size)));
    }
    return move(rows, axes);
  }

  private static boolean[] reversed(Tensor axes, int rank) {
    if (axes.shape().rank() != 1) {
      throw invalidArgument("'dims' must be 1-dimension, not %d", axes.shape().rank());
    }
    boolean[] reversed = new boolean[rank];
    for (int i = 0; i < axes.elements() && rank > 0; i++) {
      Integer axis = Shapes.axis(axes.integer(i), rank);
      if (axis == null) {
        throw invalidArgument(
            "'axis'[%d] = %d is out of valid range [0, %d", i, axes.integer(i), rank - 1);
      }
      if (reversed[axis]) {
        throw invalidArgument("axis %d specified more than once.", axis);
      }
      reversed[axis] = true;
    }
    return reversed;
  }

  /** Input 0, the segments of whose axes are moved. */
  static List<Movement> move(Rows rows, List<List<Segment>> axes) {
    Shape shape = rows.shape(0);
    OutputMoves moves = new OutputMoves(rows, rows.dtype(0), shape);
    AxisMoves.add(moves, 0, shape, shape, axes);
    return moves.only();
  }

  private static RowKernel.Body reverseSequence(NodeSpec node) {
    long seqDim = node.attrs().integer("seq_dim");
    long batchDim = node.attrs().integer("batch_dim");
    return rows -> {
      Shape shape = rows.shape(0);
      checkSequence(shape, rows.shape(1), seqDim, batchDim);
      Object array = rows.allocate(rows.dtype(0), shape);
      for (int row = 0; row < rows.count(); row++) {
        Tensor lengths = rows.row(1, row);
        checkLengths(lengths, shape.size((int) seqDim), seqDim);
        reverse(rows, row, lengths, (int) seqDim, (int) batchDim, array);
      }
      rows.set(0, rows.dtype(0), shape, array);
      return true;
    };
  }

  private static void checkSequence(Shape shape, Shape lengths, long seqDim, long batchDim) {
    if (lengths.rank() != 1) {
      throw invalidArgument("seq_lengths must be 1-dim, not %d", lengths.rank());
    }
    if (seqDim == batchDim) {
      throw invalidArgument("batch_dim == seq_dim == %d", seqDim);
    }
    checkDimension("seq_dim", seqDim, shape.rank());
    checkDimension("batch_dim", batchDim, shape.rank());
    if (lengths.size(0) != shape.size((int) batchDim)) {
      throw invalidArgument(
          "Length of seq_lengths != input.dims(%d), (%d vs. %d)",
          batchDim, lengths.size(0), shape.size((int) batchDim));
    }
  }

  private static void checkDimension(String name, long dimension, int rank) {
    if (dimension < 0 || dimension >= rank) {
      throw invalidArgument("%s must be < input rank ( %d vs. %d)", name, dimension, rank);
    }
  }

  private static void checkLengths(Tensor lengths, long size, long seqDim) {
    for (int i = 0; i < lengths.elements(); i++) {
      if (lengths.integer(i) < 0) {
        throw invalidArgument("seq_lens(%d) < 0", i);
      }
      if (lengths.integer(i) > size) {
        throw invalidArgument("seq_lens(%d) > input.dims(%d)", i, seqDim);
      }
    }
  }

  /** Reverses the first {@code lengths[b]} elements of each sequence b of one row. */
  private static void reverse(
      Rows rows, int row, Tensor lengths, int seqDim, int batchDim, Object array) {
    Shape shape = rows.shape(0);
    Tensor input = rows.row(0, row);
    ElementKind kind = input.dtype().kind();
    int[] strides = AxisMoves.strides(shape);
    int to = row * shape.elements();
    for (int b = 0; b < lengths.elements() && shape.elements() > 0; b++) {
      int length = (int) lengths.integer(b);
      int batch = b * strides[batchDim];
      int rest = (int) shape.size(seqDim) - length;
      int last = (length - 1) * strides[seqDim];
      int after = length * strides[seqDim];
      sequence(kind, shape, strides, seqDim, batchDim, length, -strides[seqDim])
          .run(
              TensorMemory.array(input),
              TensorMemory.offset(input) + batch + last,
              array,
              to + batch,
              rows.cancellation());
      sequence(kind, shape, strides, seqDim, batchDim, rest, strides[seqDim])
          .run(
              TensorMemory.array(input),
              TensorMemory.offset(input) + batch + after,
              array,
              to + batch + after,
              rows.cancellation());
    }
  }

  private static StridedMove sequence(
      ElementKind kind,
      Shape shape,
      int[] strides,
      int seqDim,
      int batchDim,
      int length,
      int fromStride) {
    StridedMove move = new StridedMove(kind);
    for (int axis = 0; axis < strides.length; axis++) {
      if (axis == seqDim) {
        move.dimension(length, fromStride, strides[axis]);
      } else if (axis != batchDim) {
        move.dimension((int) shape.size(axis), strides[axis], strides[axis]);
      }
    }
    return move;
  }

  private static List<Shape> reverseSequenceRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shape lengths = Shapes.withRank(in.shape(1), 1);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    int batchDim = (int) in.attrs().integer("batch_dim");
    checkDimension("seq_dim", in.attrs().integer("seq_dim"), shape.rank());
    checkDimension("batch_dim", batchDim, shape.rank());
    long batch = Shapes.mergeSize(shape.size(batchDim), lengths.size(0));
    return List.of(Shapes.withSize(shape, batchDim, batch));
  }
}

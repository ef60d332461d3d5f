package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.AxisMoves.Segment;
import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.MoveKernel;
import io.headrace.kernels.kit.OutputMoves;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pad, PadV2 and MirrorPad add elements around a tensor; MirrorPadGrad is MirrorPad's gradient. */
final class PadOps {
  private PadOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Pad(input: T, paddings: Tpaddings) -> output: T")
            .attrs("T: type", "Tpaddings: {int32, int64} = int32")
            .shape(PadOps::padRule)
            .runsOnGpu("paddings")
            .kernel(MoveKernel.of(PadOps::pad)),
        Op.define("PadV2(input: T, paddings: Tpaddings, constant_values: T) -> output: T")
            .attrs("T: type", "Tpaddings: {int32, int64} = int32")
            .shape(PadOps::padRule)
            .runsOnGpu("paddings")
            .kernel(MoveKernel.of(PadOps::pad)),
        Op.define("MirrorPad(input: T, paddings: Tpaddings) -> output: T")
            .attrs("T: type", "Tpaddings: {int32, int64} = int32", "mode: string")
            .shape(PadOps::padRule)
            .runsOnGpu("paddings")
            .kernel(MoveKernel.made(PadOps::mirrorPad)),
        Op.define("MirrorPadGrad(input: T, paddings: Tpaddings) -> output: T")
            .attrs("T: number", "Tpaddings: {int32, int64} = int32", "mode: string")
            .shape(PadOps::mirrorPadGradRule)
            .kernel(node -> {
              int offset = offset(node);
              return call -> call.setOutput(0, mirrorPadGrad(call, offset));
            }));
  }

  private static @Nullable List<Movement> pad(Rows rows) {
    Tensor paddings = rows.same(1);
    if (paddings == null) {
      return null;
    }
    Shape shape = rows.shape(0);
    if (paddings.shape().rank() != 2 || paddings.shape().size(1) != 2) {
      throw invalidArgument("paddings must be a matrix with 2 columns: %s", paddings.shape());
    }
    if (paddings.shape().size(0) != shape.rank()) {
      throw invalidArgument(
          "The first dimension of paddings must be the rank of inputs%s %s",
          paddings.shape(), shape);
    }
    Shape result = padded(shape, paddings);
    List<List<Segment>> axes = new ArrayList<>();
    for (int axis = 0; axis < shape.rank(); axis++) {
      int before = (int) paddings.integer(2 * axis);
      axes.add(List.of(new Segment((int) shape.size(axis), 0, 1, before)));
    }
    OutputMoves moves = padding(rows, result);
    AxisMoves.add(moves, 0, shape, result, axes);
    return moves.only();
  }

  private static Shape padded(Shape shape, Tensor paddings) {
    long[] sizes = shape.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      long before = paddings.integer(2 * axis);
      long after = paddings.integer(2 * axis + 1);
      if (before < 0 || after < 0) {
        throw invalidArgument("Paddings must be non-negative: %d %d", before, after);
      }
      sizes[axis] = sum(sum(sizes[axis], before), after);
    }
    return Shape.of(sizes);
  }

  private static long sum(long size, long padding) {
    long sum = Shapes.add(size, padding);
    if (sum < 0 && size >= 0) {
      throw invalidArgument("a dimension of %d cannot be padded by %d", size, padding);
    }
    return sum;
  }

  /** An output of the padding value alone: input 2 if present, otherwise zeros. */
  private static OutputMoves padding(Rows rows, Shape result) {
    OutputMoves moves = new OutputMoves(rows, rows.dtype(0), result);
    if (rows.inputs() < 3) {
      return moves.zeroed();
    }
    if (rows.shape(2).rank() != 0) {
      throw invalidArgument("constant_values must be a scalar. Found: %s", rows.shape(2));
    }
    return moves.fill(2);
  }

  private static MoveKernel.Body mirrorPad(NodeSpec node) {
    int offset = offset(node);
    return rows -> {
      Tensor paddings = rows.same(1);
      if (paddings == null) {
        return null;
      }
      Shape shape = rows.shape(0);
      checkMirror(shape, paddings, offset);
      Shape result = padded(shape, paddings);
      OutputMoves moves = new OutputMoves(rows, rows.dtype(0), result);
      AxisMoves.add(moves, 0, shape, result, mirrored(shape, paddings, offset));
      return moves.only();
    };
  }

  /** 1 for mode REFLECT, which does not repeat the edge, and 0 for SYMMETRIC. */
  private static int offset(NodeSpec node) {
    String mode = node.attrs().string("mode");
    return switch (mode) {
      case "REFLECT" -> 1;
      case "SYMMETRIC" -> 0;
      default ->
          throw invalidArgument(
              "node %s: mode must be either REFLECT or SYMMETRIC, and is %s", node.name(), mode);
    };
  }

  private static void checkMirror(Shape shape, Tensor paddings, int offset) {
    if (paddings.shape().rank() != 2 || paddings.shape().size(1) != 2) {
      throw invalidArgument("paddings must be a matrix with 2 columns: %s", paddings.shape());
    }
    if (paddings.shape().size(0) != shape.rank()) {
      throw invalidArgument(
          "The first dimension of paddings must be the rank of inputs%s, %s",
          paddings.shape(), shape);
    }
    for (int axis = 0; axis < shape.rank(); axis++) {
      checkMirror(
          paddings.integer(2 * axis), paddings.integer(2 * axis + 1), shape.size(axis), offset);
    }
  }

  private static void checkMirror(long before, long after, long size, int offset) {
    if (before < 0 || after < 0) {
      throw invalidArgument("paddings must be non-negative: %d %d", before, after);
    }
    if (offset == 0 && (before > size || after > size)) {
      throw invalidArgument(
          "paddings must be no greater than the dimension size: %d, %d greater than %d",
          before, after, size);
    }
    if (offset == 1 && (before >= size || after >= size)) {
      throw invalidArgument(
          "paddings must be less than the dimension size: %d, %d not less than %d",
          before, after, size);
    }
  }

  private static List<List<Segment>> mirrored(Shape shape, Tensor paddings, int offset) {
    List<List<Segment>> axes = new ArrayList<>();
    for (int axis = 0; axis < shape.rank(); axis++) {
      int size = (int) shape.size(axis);
      int before = (int) paddings.integer(2 * axis);
      int after = (int) paddings.integer(2 * axis + 1);
      axes.add(
          List.of(
              new Segment(before, before - 1 + offset, -1, 0),
              new Segment(size, 0, 1, before),
              new Segment(after, size - 1 - offset, -1, before + size)));
    }
    return axes;
  }

  private static List<Shape> padRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shape paddings = Shapes.withRank(in.shape(1), 2);
    Tensor values = in.constant(1);
    if (values == null) {
      int rank = Math.max(shape.rank(), (int) paddings.size(0));
      return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
    }
    return List.of(padded(Shapes.withRank(shape, (int) paddings.size(0)), values));
  }

  private static List<Shape> mirrorPadGradRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shape paddings = Shapes.withRank(in.shape(1), 2);
    Shapes.mergeSize(paddings.size(1), 2);
    Tensor values = in.constant(1);
    return List.of(
        values == null
            ? Shape.UNKNOWN
            : unpadded(Shapes.withRank(shape, (int) paddings.size(0)), values));
  }

  private static Shape unpadded(Shape shape, Tensor paddings) {
    long[] sizes = shape.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      long around = paddings.integer(2 * axis) + paddings.integer(2 * axis + 1);
      if (sizes[axis] >= 0 && sizes[axis] < around) {
        throw invalidArgument(
            "the paddings of dimension %d are more than its %d elements: %d",
            axis, sizes[axis], around);
      }
      sizes[axis] = sizes[axis] < 0 ? sizes[axis] : sizes[axis] - around;
    }
    return Shape.of(sizes);
  }

  /** Sums the gradients of all copies of each element. */
  private static Tensor mirrorPadGrad(KernelCall call, int offset) {
    Tensor input = call.input(0);
    Tensor paddings = call.input(1);
    Shape shape = input.shape();
    if (!paddings.shape().equals(Shape.of(shape.rank(), 2))) {
      throw invalidArgument(
          "The first dimension of paddings must be the rank of inputs%s, %s",
          paddings.shape(), shape);
    }
    Shape result = unpadded(shape, paddings);
    for (int axis = 0; axis < shape.rank(); axis++) {
      if (result.size(axis) == 0) {
        throw invalidArgument(
            "Total paddings must be less than the input dimension size: %d was not less than %d",
            shape.size(axis), shape.size(axis));
      }
    }
    checkMirror(result, paddings, offset);
    Tensor folded = input;
    for (int axis = 0; axis < shape.rank(); axis++) {
      call.cancellation().check();
      int before = (int) paddings.integer(2 * axis);
      int after = (int) paddings.integer(2 * axis + 1);
      folded = folded(folded, axis, before, after, offset);
    }
    return folded;
  }

  /** Adds the padding at both ends of one axis to the elements that it repeats. */
  private static Tensor folded(Tensor padded, int axis, int before, int after, int offset) {
    if (before + after == 0) {
      return padded;
    }
    DataType dtype = padded.dtype();
    long[] sizes = padded.shape().dimensions();
    int length = (int) sizes[axis];
    int size = length - before - after;
    sizes[axis] = size;
    Shape shape = Shape.of(sizes);
    int inner = shape.sub(axis + 1, shape.rank()).elements();
    Object from = TensorMemory.array(padded);
    Object sums = TensorLimit.allocate(dtype, shape);
    int blocks = shape.sub(0, axis).elements();
    for (int block = 0; block < blocks; block++) {
      int at = TensorMemory.offset(padded) + block * length * inner;
      int to = block * size * inner;
      dtype.kind().copy(from, at + before * inner, sums, to, size * inner);
      for (int i = 0; i < before; i++) {
        int source = at + (before - 1 - i) * inner;
        Combiner.ADD.into(dtype, sums, to + (i + offset) * inner, from, source, inner);
      }
      for (int i = 0; i < after; i++) {
        int source = at + (before + size + i) * inner;
        int target = to + (size - 1 - offset - i) * inner;
        Combiner.ADD.into(dtype, sums, target, from, source, inner);
      }
    }
    return Tensor.wrap(dtype, shape, sums);
  }
}

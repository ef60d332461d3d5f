package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.AxisMoves;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** Where: the multi-dimensional indices of the nonzero elements. */
final class WhereOps {
  private static final int MAX_RANK = 8;

  private WhereOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Where(input: T) -> index: int64")
            .attrs("T: {number, bool} = bool")
            .shape(WhereOps::rule)
            .kernel(RowKernel.of(WhereOps::where)));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION, in.shape(0).rank()));
  }

  private static boolean where(Rows rows) {
    Shape shape = rows.shape(0);
    if (shape.rank() < 1 || shape.rank() > MAX_RANK) {
      throw invalidArgument("WhereOp : Unhandled input dimensions: %d", shape.rank());
    }
    int[] found = nonZero(rows.row(0, 0));
    Shape result = Shape.of(found.length, shape.rank());
    long[] places = (long[]) rows.allocate(DataType.INT64, result);
    for (int row = 0; row < rows.count(); row++) {
      int[] ofRow = row == 0 ? found : nonZero(rows.row(0, row));
      if (ofRow.length != found.length) {
        return false;
      }
      write(ofRow, shape, places, row * result.elements());
    }
    rows.set(0, DataType.INT64, result, places);
    return true;
  }

  /** The linear indices of the nonzero elements. */
  private static int[] nonZero(Tensor tensor) {
    int[] found = new int[tensor.elements()];
    int count = 0;
    for (int i = 0; i < found.length; i++) {
      if (isNonZero(tensor, i)) {
        found[count++] = i;
      }
    }
    return Arrays.copyOf(found, count);
  }

  private static boolean isNonZero(Tensor tensor, int index) {
    int slots = tensor.dtype().kind().slots();
    int at = (TensorMemory.offset(tensor) + index) * slots;
    int sign = tensor.dtype().isFloating() ? 0x7fff : 0xffff; // -0 counts as zero
    return switch (TensorMemory.array(tensor)) {
      case byte[] a -> a[at] != 0;
      case short[] a -> (a[at] & sign) != 0;
      case int[] a -> a[at] != 0;
      case long[] a -> a[at] != 0;
      case float[] a -> a[at] != 0 || (slots == 2 && a[at + 1] != 0);
      case double[] a -> a[at] != 0 || (slots == 2 && a[at + 1] != 0);
      default -> throw new AssertionError(tensor);
    };
  }

  private static void write(int[] found, Shape shape, long[] places, int first) {
    int[] strides = AxisMoves.strides(shape);
    int at = first;
    for (int index : found) {
      for (int axis = 0; axis < strides.length; axis++) {
        places[at++] = index / strides[axis] % shape.size(axis);
      }
    }
  }
}

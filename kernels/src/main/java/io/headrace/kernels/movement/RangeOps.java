package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Range: numbers from {@code start} to before {@code limit}, {@code delta} apart. */
public final class RangeOps {
  /** Elements computed between two checks of the cancellation. */
  private static final int CANCELLATION_STEP = 1 << 16;

  private RangeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Range(start: Tidx, limit: Tidx, delta: Tidx) -> output: Tidx")
            .attrs("Tidx: {bfloat16, half, float, double, int32, int64} = int32")
            .shape(RangeOps::rangeRule)
            .kernel(RowKernel.of(RangeOps::range)));
  }

  private static boolean range(Rows rows) {
    checkScalars(rows.shape(0), rows.shape(1), rows.shape(2));
    DataType dtype = rows.dtype(0);
    long size = size(dtype, rows.row(0, 0), rows.row(1, 0), rows.row(2, 0));
    Object array = rows.allocate(dtype, Shape.of(size));
    for (int row = 0; row < rows.count(); row++) {
      Tensor start = rows.row(0, row);
      Tensor delta = rows.row(2, row);
      if (size(dtype, start, rows.row(1, row), delta) != size) {
        return false;
      }
      count(dtype, start, delta, array, row * (int) size, (int) size, rows.cancellation());
    }
    rows.set(0, dtype, Shape.of(size), array);
    return true;
  }

  private static void checkScalars(Shape start, Shape limit, Shape delta) {
    checkScalar("start", start);
    checkScalar("limit", limit);
    checkScalar("delta", delta);
  }

  /** As in TensorFlow, a vector of one element is accepted as a scalar. */
  private static void checkScalar(String name, Shape shape) {
    if (shape.elements() != 1 || shape.rank() > 1) {
      throw invalidArgument("%s must be a scalar, not shape %s", name, shape);
    }
  }

  /**
   * The length of the range from {@code start} to before {@code limit} in steps of {@code delta},
   * all scalars of {@code dtype}.
   *
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if {@code delta} is 0 or
   *     points away from {@code limit}, or if the length overflows
   */
  public static long size(DataType dtype, Tensor start, Tensor limit, Tensor delta) {
    return dtype.isFloating()
        ? size(real(start), real(limit), real(delta), dtype)
        : size(start.integer(0), limit.integer(0), delta.integer(0));
  }

  static double real(Tensor scalar) {
    return NumericElements.real(
        scalar.dtype(), TensorMemory.array(scalar), TensorMemory.offset(scalar));
  }

  private static long size(long start, long limit, long delta) {
    if (delta == 0) {
      throw invalidArgument("Requires delta != 0: %d", delta);
    }
    if (delta > 0 && start > limit) {
      throw invalidArgument("Requires start <= limit when delta > 0: %d/%d", start, limit);
    }
    if (delta < 0 && start < limit) {
      throw invalidArgument("Requires start >= limit when delta < 0: %d/%d", start, limit);
    }
    // The distance of any two longs fits into an unsigned long.
    long distance = delta > 0 ? limit - start : start - limit;
    long step = delta > 0 ? delta : -delta;
    long whole = Long.divideUnsigned(distance, step);
    long size = whole + (Long.remainderUnsigned(distance, step) != 0 ? 1 : 0);
    if (size < 0) {
      throw invalidArgument("Requires ((limit - start) / delta) <= %d", Long.MAX_VALUE);
    }
    return size;
  }

  private static long size(double start, double limit, double delta, DataType dtype) {
    if (delta == 0) {
      throw invalidArgument("Requires delta != 0: %s", text(delta));
    }
    if (delta > 0 && start > limit) {
      throw invalidArgument(
          "Requires start <= limit when delta > 0: %s/%s", text(start), text(limit));
    }
    if (delta < 0 && start < limit) {
      throw invalidArgument(
          "Requires start >= limit when delta < 0: %s/%s", text(start), text(limit));
    }
    double steps = Math.abs(rounded(dtype, rounded(dtype, limit - start) / delta));
    double size = Math.ceil(steps);
    if (!(size < Long.MAX_VALUE)) {
      throw invalidArgument("Requires ((limit - start) / delta) <= %d", Long.MAX_VALUE);
    }
    return (long) size;
  }

  private static String text(double value) {
    return TensorText.number(value, false);
  }

  /** {@code value} rounded to {@code dtype}. */
  static double rounded(DataType dtype, double value) {
    return switch (dtype) {
      case FLOAT32 -> (float) value;
      case FLOAT16, BFLOAT16 ->
          NumericElements.half(dtype, NumericElements.toHalf(dtype, (float) value));
      default -> value;
    };
  }

  private static void count(
      DataType dtype,
      Tensor start,
      Tensor delta,
      Object array,
      int first,
      int size,
      Cancellation cancellation) {
    for (int from = 0; from < size; from += CANCELLATION_STEP) {
      cancellation.check();
      int to = Math.min(size, from + CANCELLATION_STEP);
      if (array instanceof int[] || array instanceof long[]) {
        integers(start.integer(0), delta.integer(0), array, first, from, to);
      } else {
        floats(dtype, real(start), real(delta), array, first, from, to);
      }
    }
  }

  private static void integers(long start, long delta, Object array, int first, int from, int to) {
    for (int i = from; i < to; i++) {
      NumericElements.setInteger(array, first + i, start + i * delta);
    }
  }

  /** As in TensorFlow, both the product and the sum are rounded to {@code dtype}. */
  private static void floats(
      DataType dtype, double start, double delta, Object array, int first, int from, int to) {
    for (int i = from; i < to; i++) {
      double distance = rounded(dtype, rounded(dtype, i) * delta);
      NumericElements.setFloating(dtype, array, first + i, start + distance);
    }
  }

  private static List<Shape> rangeRule(ShapeFunction.Inputs in) {
    for (int i = 0; i < 3; i++) {
      Shapes.checkRankAtMost(in.shape(i), 1);
    }
    @Nullable Tensor start = in.constant(0);
    @Nullable Tensor limit = in.constant(1);
    @Nullable Tensor delta = in.constant(2);
    if (start == null || limit == null || delta == null) {
      return List.of(Shape.of(Shape.UNKNOWN_DIMENSION));
    }
    return List.of(Shape.of(size(start.dtype(), start, limit, delta)));
  }
}

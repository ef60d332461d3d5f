package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.OptionalLong;

/** LinSpace: {@code num} evenly spaced numbers from {@code start} to {@code stop} inclusive. */
final class LinSpaceOps {
  private LinSpaceOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("LinSpace(start: T, stop: T, num: Tidx) -> output: T")
            .attrs("T: {float, double}", "Tidx: {int32, int64} = int32")
            .shape(LinSpaceOps::linSpaceRule)
            .kernel(RowKernel.of(LinSpaceOps::linSpace)));
  }

  private static boolean linSpace(Rows rows) {
    Tensor num = rows.same(2);
    if (num == null) {
      return false;
    }
    checkScalar("start", rows.shape(0));
    checkScalar("stop", rows.shape(1));
    checkScalar("num", num.shape());
    if (num.integer(0) <= 0) {
      throw invalidArgument("Requires num > 0: %d", num.integer(0));
    }
    Shape shape = Shape.of(num.integer(0));
    DataType dtype = rows.dtype(0);
    Object array = rows.allocate(dtype, shape);
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      double start = RangeOps.real(rows.row(0, row));
      double stop = RangeOps.real(rows.row(1, row));
      divide(dtype, start, stop, array, row, shape.elements());
    }
    rows.set(0, dtype, shape, array);
    return true;
  }

  private static void checkScalar(String name, Shape shape) {
    if (shape.rank() != 0) {
      throw invalidArgument("%s must be a scalar, not shape %s", name, shape);
    }
  }

  private static void divide(
      DataType dtype, double start, double stop, Object array, int row, int size) {
    int first = row * size;
    double distance = RangeOps.rounded(dtype, stop - start);
    double step = size == 1 ? 0 : RangeOps.rounded(dtype, distance / (size - 1));
    for (int i = 0; i < size - 1; i++) {
      NumericElements.setFloating(
          dtype, array, first + i, start + RangeOps.rounded(dtype, step * i));
    }
    NumericElements.setFloating(dtype, array, first + size - 1, size == 1 ? start : stop);
  }

  private static List<Shape> linSpaceRule(ShapeFunction.Inputs in) {
    for (int i = 0; i < 3; i++) {
      Shapes.checkRankAtMost(in.shape(i), 0);
    }
    OptionalLong num = Shapes.constantScalar(in, 2);
    if (num.isPresent() && num.getAsLong() <= 0) {
      throw invalidArgument("Requires num > 0: %d", num.getAsLong());
    }
    return List.of(Shape.of(num.orElse(Shape.UNKNOWN_DIMENSION)));
  }
}

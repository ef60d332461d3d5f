package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The MatrixBandPart op: matrices with all elements outside a band set to zero. */
final class MatrixBandPartOps {
  private MatrixBandPartOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> band: T")
            .attrs("T: fixedwidth", "Tindex: {int32, int64} = int64")
            .shape(MatrixBandPartOps::bandRule)
            .kernel(RowKernel.of(MatrixBandPartOps::band)));
  }

  private static List<Shape> bandRule(ShapeFunction.Inputs in) {
    return List.of(MatrixShapes.checkRankAtLeast("input", in.shape(0), 2));
  }

  private static boolean band(Rows rows) {
    Tensor lower = rows.same(1);
    Tensor upper = rows.same(2);
    if (lower == null || upper == null) {
      return false;
    }
    Shape shape = MatrixShapes.checkRankAtLeast("input", rows.shape(0), 2);
    long height = shape.size(shape.rank() - 2);
    long width = shape.size(shape.rank() - 1);
    long below = bound("num_lower", lower, "rows", height);
    long above = bound("num_upper", upper, "columns", width);
    Object array = rows.allocate(rows.dtype(0), shape);
    Tensor input = rows.all(0);
    ElementKind kind = input.dtype().kind();
    int lines = width == 0 ? 0 : shape.elements() / (int) width;
    for (int line = 0; line < lines * rows.count(); line++) {
      long i = line % height;
      int from = (int) Math.clamp(below < 0 ? 0 : i - below, 0, width);
      int to = (int) Math.clamp(above < 0 ? width : i + above + 1, from, width);
      int at = line * (int) width + from;
      int source = (rows.varies(0) ? line : line % lines) * (int) width + from;
      kind.copy(
          TensorMemory.array(input), TensorMemory.offset(input) + source, array, at, to - from);
    }
    rows.set(0, rows.dtype(0), shape, array);
    return true;
  }

  private static long bound(String name, Tensor bound, String what, long limit) {
    if (bound.shape().rank() != 0) {
      throw invalidArgument("%s must be scalar, got shape %s", name, bound.shape());
    }
    long value = bound.integer(0);
    if (value > limit) {
      throw invalidArgument(
          "%s must be negative or less or equal to number of %s (%d) got: %d",
          name, what, limit, value);
    }
    return value;
  }
}

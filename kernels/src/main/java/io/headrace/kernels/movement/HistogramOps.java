package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;

/** HistogramFixedWidth: the number of values in each of several bins of equal width. */
final class HistogramOps {
  private HistogramOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> out: dtype")
            .attrs("T: {int32, int64, float, double}", "dtype: {int32, int64} = int32")
            .shape(HistogramOps::histogramRule)
            .kernel(RowKernel.made(HistogramOps::histogram)));
  }

  private static List<Shape> histogramRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(1), 1);
    Shapes.checkRankAtMost(in.shape(2), 0);
    OptionalLong bins = Shapes.constantScalar(in, 2);
    return List.of(Shape.of(bins.orElse(Shape.UNKNOWN_DIMENSION)));
  }

  private static RowKernel.Body histogram(NodeSpec node) {
    DataType outputType = node.outputTypes().getFirst();
    return rows -> {
      Tensor range = rows.same(1);
      Tensor nbins = rows.same(2);
      if (range == null || nbins == null) {
        return false;
      }
      checkHistogram(range, nbins);
      int bins = (int) nbins.integer(0);
      Shape result = Shape.of(bins);
      Object counts = rows.allocate(outputType, result);
      for (int row = 0; row < rows.count(); row++) {
        rows.cancellation().check();
        histogram(rows.row(0, row), range, bins, counts, row * bins);
      }
      rows.set(0, outputType, result, counts);
      return true;
    };
  }

  private static void checkHistogram(Tensor range, Tensor nbins) {
    if (range.shape().rank() != 1 || range.elements() != 2) {
      throw invalidArgument("value_range should be a vector of 2 elements.");
    }
    if (nbins.shape().rank() != 0) {
      throw invalidArgument("nbins should be a scalar.");
    }
    if (!(real(range, 0) < real(range, 1))) {
      throw invalidArgument(
          "value_range should satisfy value_range[0] < value_range[1], but got '[%s]'",
          TensorText.summary(range, -1).replace(" ", ", "));
    }
    if (nbins.integer(0) <= 0) {
      throw invalidArgument("nbins should be a positive number, but got '%d'", nbins.integer(0));
    }
  }

  private static double real(Tensor tensor, int index) {
    return NumericElements.real(
        tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + index);
  }

  private static void histogram(Tensor values, Tensor range, int bins, Object counts, int first) {
    double low = real(range, 0);
    double step = (real(range, 1) - low) / bins;
    for (int i = 0; i < values.elements(); i++) {
      double place = (real(values, i) - low) / step;
      int bin = first + (int) Math.clamp(place, 0, bins - 1.0);
      NumericElements.setInteger(
          counts, bin, NumericElements.integer(DataType.INT64, counts, bin) + 1);
    }
  }
}

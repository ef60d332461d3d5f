package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** RGBToHSV and HSVToRGB: conversions of the color in the last dimension, of size 3. */
final class RgbToHsvOps {
  private RgbToHsvOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("RGBToHSV(images: T) -> output: T")
            .attrs("T: {float, double} = float")
            .shape(RgbToHsvOps::infer)
            .kernel(RowKernel.of(rows -> convert(rows, true))),
        Op.define("HSVToRGB(images: T) -> output: T")
            .attrs("T: {float, double} = float")
            .shape(RgbToHsvOps::infer)
            .kernel(RowKernel.of(rows -> convert(rows, false))));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape shape = in.shape(0);
    Shapes.checkRankAtLeast(shape, 1);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    int last = shape.rank() - 1;
    return List.of(Shapes.withSize(shape, last, Shapes.mergeSize(shape.size(last), 3)));
  }

  private static boolean convert(Rows rows, boolean toHsv) {
    Shape shape = rows.shape(0);
    if (shape.rank() < 1) {
      throw invalidArgument("input must be at least 1D%s", shape);
    }
    long channels = shape.size(shape.rank() - 1);
    if (channels != 3) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "input must have 3 channels but input only has %d channels.",
          channels);
    }
    Tensor images = rows.all(0);
    Object out = rows.allocateUnset(images.dtype(), shape);
    int from = TensorMemory.offset(images);
    int count = images.elements();
    rows.cancellation().check();
    switch (TensorMemory.array(images)) {
      case float[] in when toHsv -> HsvColors.toHsv(in, from, (float[]) out, count);
      case float[] in -> HsvColors.toRgb(in, from, (float[]) out, count);
      case double[] in when toHsv -> HsvColors.toHsv(in, from, (double[]) out, count);
      case double[] in -> HsvColors.toRgb(in, from, (double[]) out, count);
      default -> throw new AssertionError(images.dtype());
    }
    rows.set(0, Tensor.wrap(images.dtype(), images.shape(), out));
    return true;
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** ResizeBicubic: each pixel is interpolated between 4 by 4 input pixels ({@link CubicWeights}). */
final class ResizeBicubicOps {
  private ResizeBicubicOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeBicubic(images: T, size: int32) -> resized_images: float")
            .attrs(
                "T: {int8, uint8, int16, uint16, int32, int64, half, bfloat16, float, double}",
                "align_corners: bool = false",
                "half_pixel_centers: bool = false")
            .shape(ResizeGrid::infer)
            .kernel(node ->
                call ->
                    call.setOutput(
                        0,
                        bicubic(call.input(0), call.input(1), node.attrs(), call.cancellation()))));
  }

  private static Tensor bicubic(Tensor images, Tensor size, Attrs attrs, Cancellation stop) {
    ResizeGrid grid = ResizeGrid.of(images, size, attrs);
    boolean halfPixelCenters = attrs.bool("half_pixel_centers");
    Shape shape = grid.outShape();
    float[] out = (float[]) TensorLimit.allocateUnset(DataType.FLOAT32, shape);
    float[] in = ImageFloats.of(images);
    CubicWeights rows =
        CubicWeights.of(grid.inHeight(), grid.outHeight(), grid.heightScale(), halfPixelCenters);
    CubicWeights columns =
        CubicWeights.of(grid.inWidth(), grid.outWidth(), grid.widthScale(), halfPixelCenters);
    int lineSize = grid.inWidth() * grid.channels();
    float[] line = new float[lineSize];
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      float[][] lines =
          ImageFloats.lines(in, b * grid.inHeight() * lineSize, grid.inHeight(), lineSize);
      for (int y = 0; y < grid.outHeight(); y++) {
        stop.check();
        rows.interpolateRow(y, lines, line);
        at = columns.interpolatePixels(line, grid.channels(), out, at);
      }
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** ResizeBilinear: each pixel is interpolated between its four neighbors in the input. */
final class ResizeBilinearOps {
  private ResizeBilinearOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeBilinear(images: T, size: int32) -> resized_images: float")
            .attrs(
                "T: {int8, uint8, int16, uint16, int32, int64, half, bfloat16, float, double}",
                "align_corners: bool = false",
                "half_pixel_centers: bool = false")
            .shape(ResizeGrid::infer)
            .kernel(node ->
                call ->
                    call.setOutput(
                        0,
                        bilinear(
                            call.input(0), call.input(1), node.attrs(), call.cancellation()))));
  }

  /** For each output row or column, its two input neighbors and the fraction between them. */
  private static final class Weights {
    private final int[] lower;
    private final int[] upper;
    private final float[] fraction;

    Weights(int size) {
      this.lower = new int[size];
      this.upper = new int[size];
      this.fraction = new float[size];
    }
  }

  private static Weights weights(int in, int out, float scale, boolean halfPixelCenters) {
    Weights weights = new Weights(out);
    for (int i = 0; i < out; i++) {
      float at = halfPixelCenters ? (i + 0.5f) * scale - 0.5f : i * scale;
      float floor = (float) Math.floor(at);
      weights.lower[i] = Math.max((int) floor, 0);
      weights.upper[i] = Math.min((int) Math.ceil(at), in - 1);
      weights.fraction[i] = at - floor;
    }
    return weights;
  }

  private static Tensor bilinear(Tensor images, Tensor size, Attrs attrs, Cancellation stop) {
    ResizeGrid grid = ResizeGrid.of(images, size, attrs);
    Shape shape = grid.outShape();
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
    float[] in = ImageFloats.of(images);
    boolean halfPixelCenters = attrs.bool("half_pixel_centers");
    Weights rows = weights(grid.inHeight(), grid.outHeight(), grid.heightScale(), halfPixelCenters);
    Weights columns = weights(grid.inWidth(), grid.outWidth(), grid.widthScale(), halfPixelCenters);
    int rowSize = grid.inWidth() * grid.channels();
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      stop.check();
      int image = b * grid.inHeight() * rowSize;
      for (int y = 0; y < grid.outHeight(); y++) {
        int top = image + rows.lower[y] * rowSize;
        int bottom = image + rows.upper[y] * rowSize;
        at = row(in, top, bottom, rows.fraction[y], columns, grid.channels(), out, at);
      }
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }

  private static int row(
      float[] in,
      int top,
      int bottom,
      float fraction,
      Weights columns,
      int channels,
      float[] out,
      int from) {
    int at = from;
    for (int x = 0; x < columns.lower.length; x++) {
      int left = columns.lower[x] * channels;
      int right = columns.upper[x] * channels;
      float across = columns.fraction[x];
      for (int c = 0; c < channels; c++) {
        float upper = in[top + left + c] + (in[top + right + c] - in[top + left + c]) * across;
        float lower =
            in[bottom + left + c] + (in[bottom + right + c] - in[bottom + left + c]) * across;
        out[at++] = upper + (lower - upper) * fraction;
      }
    }
    return at;
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** ResizeArea: each pixel is the mean of the area of the input that it covers. */
final class ResizeAreaOps {
  private ResizeAreaOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeArea(images: T, size: int32) -> resized_images: float")
            .attrs(
                "T: {int8, uint8, int16, uint16, int32, int64, half, bfloat16, float, double}",
                "align_corners: bool = false")
            .shape(ResizeGrid::infer)
            .kernel(node ->
                call ->
                    call.setOutput(
                        0, area(call.input(0), call.input(1), node.attrs(), call.cancellation()))));
  }

  /** The input pixels that an output pixel covers along one axis, and their weights. */
  private static final class Span {
    private final int[] indices;
    private final float[] weights;

    Span(int[] indices, float[] weights) {
      this.indices = indices;
      this.weights = weights;
    }

    static Span[] areas(int in, int out, float scale) {
      Span[] spans = new Span[out];
      for (int i = 0; i < out; i++) {
        float from = i * scale;
        float to = (i + 1) * scale;
        int start = (int) Math.floor(from);
        int count = (int) Math.ceil(to) - start;
        int[] indices = new int[count];
        float[] weights = new float[count];
        for (int j = 0; j < count; j++) {
          int pixel = start + j;
          indices[j] = Math.clamp(pixel, 0, in - 1);
          boolean over = pixel + 1 > to;
          weights[j] = pixel < from ? (over ? scale : pixel + 1 - from) : (over ? to - pixel : 1f);
        }
        spans[i] = new Span(indices, weights);
      }
      return spans;
    }
  }

  private static Tensor area(Tensor images, Tensor size, Attrs attrs, Cancellation stop) {
    ResizeGrid grid = ResizeGrid.of(images, size, attrs);
    Shape shape = grid.outShape();
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
    float[] in = ImageFloats.of(images);
    Span[] rows = Span.areas(grid.inHeight(), grid.outHeight(), grid.heightScale());
    Span[] columns = Span.areas(grid.inWidth(), grid.outWidth(), grid.widthScale());
    float scale = (float) (1.0 / (grid.heightScale() * grid.widthScale()));
    int channels = grid.channels();
    int lineSize = grid.inWidth() * channels;
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      float[][] lines =
          ImageFloats.lines(in, b * grid.inHeight() * lineSize, grid.inHeight(), lineSize);
      for (Span row : rows) {
        stop.check();
        for (Span column : columns) {
          for (int c = 0; c < channels; c++) {
            out[at++] = sum(lines, row, column, c, channels) * scale;
          }
        }
      }
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }

  private static float sum(float[][] lines, Span row, Span column, int channel, int channels) {
    float sum = 0;
    for (int y = 0; y < row.indices.length; y++) {
      float[] line = lines[row.indices[y]];
      float lineSum = line[channels * column.indices[0] + channel] * column.weights[0];
      for (int x = 1; x < column.indices.length; x++) {
        lineSum += line[channels * column.indices[x] + channel] * column.weights[x];
      }
      sum += lineSum * row.weights[y];
    }
    return sum;
  }
}

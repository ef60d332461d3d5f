package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
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
    Span[] rows = Span.areas(grid.inHeight(), grid.outHeight(), grid.heightScale());
    Span[] columns = Span.areas(grid.inWidth(), grid.outWidth(), grid.widthScale());
    float scale = (float) (1.0 / (grid.heightScale() * grid.widthScale()));
    RowSums lines = new RowSums(images, grid, columns);
    // A row of its own: HotSpot vectorizes loops whose arrays have one index.
    float[] sums = new float[grid.outWidth() * grid.channels()];
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      int image = b * grid.inHeight();
      for (Span row : rows) {
        stop.check();
        Arrays.fill(sums, 0f);
        for (int y = 0; y < row.indices.length; y++) {
          addScaled(lines.of(image + row.indices[y]), row.weights[y], sums);
        }
        for (int i = 0; i < sums.length; i++) {
          sums[i] *= scale;
        }
        System.arraycopy(sums, 0, out, at, sums.length);
        at += sums.length;
      }
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }

  private static void addScaled(float[] line, float weight, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += line[i] * weight;
    }
  }

  /**
   * Input rows, summed up across for each output column. The last one is kept: output rows share
   * the input row at which they meet, and more where images grow.
   */
  private static final class RowSums {
    private final Tensor images;
    private final Span[] columns;
    private final int channels;
    private final float[] in;
    private final float[] sums;
    private int kept = -1;

    RowSums(Tensor images, ResizeGrid grid, Span[] columns) {
      this.images = images;
      this.columns = columns;
      this.channels = grid.channels();
      this.in = new float[grid.inWidth() * channels];
      this.sums = new float[grid.outWidth() * channels];
    }

    /** The sums of a row of all images; valid until the next call. */
    float[] of(int row) {
      if (row == kept) {
        return sums;
      }
      kept = row;
      ImageFloats.copy(images, row * in.length, in, in.length);
      int at = 0;
      for (Span column : columns) {
        if (channels == 3) {
          sumPixels(column.indices, column.weights, at);
        } else {
          for (int c = 0; c < channels; c++) {
            sums[at + c] = sum(column.indices, column.weights, c);
          }
        }
        at += channels;
      }
      return sums;
    }

    private float sum(int[] indices, float[] weights, int channel) {
      float sum = in[channels * indices[0] + channel] * weights[0];
      for (int x = 1; x < indices.length; x++) {
        sum += in[channels * indices[x] + channel] * weights[x];
      }
      return sum;
    }

    /** The same for the three channels of pixels at a time. */
    private void sumPixels(int[] indices, float[] weights, int at) {
      int pixel = 3 * indices[0];
      float r = in[pixel] * weights[0];
      float g = in[pixel + 1] * weights[0];
      float b = in[pixel + 2] * weights[0];
      for (int x = 1; x < indices.length; x++) {
        pixel = 3 * indices[x];
        r += in[pixel] * weights[x];
        g += in[pixel + 1] * weights[x];
        b += in[pixel + 2] * weights[x];
      }
      sums[at] = r;
      sums[at + 1] = g;
      sums[at + 2] = b;
    }
  }
}

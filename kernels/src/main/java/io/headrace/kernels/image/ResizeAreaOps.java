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
import org.jspecify.annotations.Nullable;

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

  /**
   * The areas of a result's pixels along one axis. Pixel i covers the input pixels at {@code
   * indices} from {@code starts[i]} up to {@code starts[i + 1]}, at least one, with a weight each.
   */
  static final class Areas {
    final int[] starts;
    final int[] indices;
    final float[] weights;

    private Areas(int[] starts, int[] indices, float[] weights) {
      this.starts = starts;
      this.indices = indices;
      this.weights = weights;
    }

    static Areas of(int in, int out, float scale) {
      int[] starts = new int[out + 1];
      for (int i = 0; i < out; i++) {
        starts[i + 1] = starts[i] + end(i, scale) - start(i, scale);
      }
      int[] indices = new int[starts[out]];
      float[] weights = new float[indices.length];
      for (int i = 0; i < out; i++) {
        float from = i * scale;
        float to = (i + 1) * scale;
        int start = start(i, scale);
        for (int j = starts[i]; j < starts[i + 1]; j++) {
          int pixel = start + j - starts[i];
          indices[j] = Math.clamp(pixel, 0, in - 1);
          boolean over = pixel + 1 > to;
          weights[j] = pixel < from ? (over ? scale : pixel + 1 - from) : (over ? to - pixel : 1f);
        }
      }
      return new Areas(starts, indices, weights);
    }

    private static int start(int i, float scale) {
      return (int) Math.floor(i * scale);
    }

    private static int end(int i, float scale) {
      return Math.max(start(i, scale) + 1, (int) Math.ceil((i + 1) * scale));
    }

    /** The indices of the first of {@code channels} elements of the input pixels. */
    int[] elements(int channels) {
      int[] result = new int[indices.length];
      for (int i = 0; i < result.length; i++) {
        result[i] = channels * indices[i];
      }
      return result;
    }
  }

  private static Tensor area(Tensor images, Tensor size, Attrs attrs, Cancellation stop) {
    ResizeGrid grid = ResizeGrid.of(images, size, attrs);
    Shape shape = grid.outShape();
    float[] out = (float[]) TensorLimit.allocateUnset(DataType.FLOAT32, shape);
    Areas rows = Areas.of(grid.inHeight(), grid.outHeight(), grid.heightScale());
    Areas columns = Areas.of(grid.inWidth(), grid.outWidth(), grid.widthScale());
    @Nullable NativeArea loops = NativeArea.INSTANCE;
    if (loops != null && NativeArea.takes(images)) {
      loops.resize(images, grid, rows, columns, out, stop);
    } else {
      resize(images, grid, rows, columns, out, stop);
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }

  /** The factor of a sum of weighted pixels. */
  static float scale(ResizeGrid grid) {
    return (float) (1.0 / (grid.heightScale() * grid.widthScale()));
  }

  static void resize(
      Tensor images, ResizeGrid grid, Areas rows, Areas columns, float[] out, Cancellation stop) {
    float scale = scale(grid);
    RowSums lines = new RowSums(images, grid, columns);
    // A row of its own: HotSpot vectorizes loops whose arrays have one index.
    float[] sums = new float[grid.outWidth() * grid.channels()];
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      int image = b * grid.inHeight();
      for (int row = 0; row < grid.outHeight(); row++) {
        stop.check();
        Arrays.fill(sums, 0f);
        for (int y = rows.starts[row]; y < rows.starts[row + 1]; y++) {
          addScaled(lines.of(image + rows.indices[y]), rows.weights[y], sums);
        }
        for (int i = 0; i < sums.length; i++) {
          sums[i] *= scale;
        }
        System.arraycopy(sums, 0, out, at, sums.length);
        at += sums.length;
      }
    }
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
    private final Areas columns;
    private final int[] pixels;
    private final int channels;
    private final float[] in;
    private final float[] sums;
    private int kept = -1;

    RowSums(Tensor images, ResizeGrid grid, Areas columns) {
      this.images = images;
      this.columns = columns;
      this.channels = grid.channels();
      this.pixels = columns.elements(channels);
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
      for (int x = 0; x < columns.starts.length - 1; x++) {
        if (channels == 3) {
          sumPixels(x);
        } else {
          for (int c = 0; c < channels; c++) {
            sums[x * channels + c] = sum(x, c);
          }
        }
      }
      return sums;
    }

    private float sum(int column, int channel) {
      int i = columns.starts[column];
      float sum = in[pixels[i] + channel] * columns.weights[i];
      for (i++; i < columns.starts[column + 1]; i++) {
        sum += in[pixels[i] + channel] * columns.weights[i];
      }
      return sum;
    }

    /** The same for the three channels of pixels at a time. */
    private void sumPixels(int column) {
      int i = columns.starts[column];
      float weight = columns.weights[i];
      int pixel = pixels[i];
      float r = in[pixel] * weight;
      float g = in[pixel + 1] * weight;
      float b = in[pixel + 2] * weight;
      for (i++; i < columns.starts[column + 1]; i++) {
        weight = columns.weights[i];
        pixel = pixels[i];
        r += in[pixel] * weight;
        g += in[pixel + 1] * weight;
        b += in[pixel + 2] * weight;
      }
      sums[3 * column] = r;
      sums[3 * column + 1] = g;
      sums[3 * column + 2] = b;
    }
  }
}

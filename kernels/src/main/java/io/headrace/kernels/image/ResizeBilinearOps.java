package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
            .runsOnGpu("size")
            .kernel(node ->
                call ->
                    call.setOutput(
                        0,
                        bilinear(
                            call.input(0), call.input(1), node.attrs(), call.cancellation()))));
  }

  /** For each output row or column, its two input neighbors and the fraction between them. */
  static final class Weights {
    final int[] lower;
    final int[] upper;
    final float[] fraction;

    Weights(int size) {
      this.lower = new int[size];
      this.upper = new int[size];
      this.fraction = new float[size];
    }

    /** Indices of the first channels of pixels in a row. */
    static int[] channels(int[] pixels, int channels) {
      int[] result = new int[pixels.length];
      for (int x = 0; x < pixels.length; x++) {
        result[x] = pixels[x] * channels;
      }
      return result;
    }
  }

  /** The weights of {@code out} rows or columns that are made from {@code in}. */
  static Weights weights(int in, int out, float scale, boolean halfPixelCenters) {
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
    float[] out = (float[]) TensorLimit.allocateUnset(DataType.FLOAT32, grid.outShape());
    boolean halfPixelCenters = attrs.bool("half_pixel_centers");
    Weights rows = weights(grid.inHeight(), grid.outHeight(), grid.heightScale(), halfPixelCenters);
    Weights columns = weights(grid.inWidth(), grid.outWidth(), grid.widthScale(), halfPixelCenters);
    @Nullable NativeBilinear loops = NativeBilinear.INSTANCE;
    if (loops != null && NativeBilinear.takes(images)) {
      loops.resize(images, grid, rows, columns, out, stop);
    } else {
      resize(images, grid, rows, columns, out, stop);
    }
    return Tensor.wrap(DataType.FLOAT32, grid.outShape(), out);
  }

  /** Resizes all images, in Java. */
  static void resize(
      Tensor images,
      ResizeGrid grid,
      Weights rows,
      Weights columns,
      float[] out,
      Cancellation stop) {
    RowStretcher stretcher = new RowStretcher(images, grid, columns);
    // A row of its own: HotSpot vectorizes loops whose arrays have one index.
    float[] mixed = new float[grid.outWidth() * grid.channels()];
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      stop.check();
      int image = b * grid.inHeight();
      for (int y = 0; y < grid.outHeight(); y++) {
        float[] upper = stretcher.firstRow(image + rows.lower[y]);
        float[] lower = stretcher.secondRow(image + rows.upper[y]);
        float fraction = rows.fraction[y];
        for (int i = 0; i < mixed.length; i++) {
          mixed[i] = upper[i] + (lower[i] - upper[i]) * fraction;
        }
        System.arraycopy(mixed, 0, out, at, mixed.length);
        at += mixed.length;
      }
    }
  }

  /**
   * Interpolates input rows across. The last two results are kept: output rows share neighbors
   * where images grow.
   */
  private static final class RowStretcher {
    private final Tensor images;
    private final int inSize;

    private final int channels;

    /** For each pixel of a result, its two neighbors in the input row. */
    private final int[] left;

    private final int[] right;
    private final float[] fraction;

    private final float[] in;
    private final float[][] kept;
    private final int[] keptRows = {-1, -1};
    private int first;

    RowStretcher(Tensor images, ResizeGrid grid, Weights columns) {
      this.images = images;
      this.channels = grid.channels();
      this.inSize = grid.inWidth() * channels;
      this.left = Weights.channels(columns.lower, channels);
      this.right = Weights.channels(columns.upper, channels);
      this.fraction = columns.fraction;
      this.in = new float[isReadInPlace() ? 0 : inSize];
      this.kept = new float[2][grid.outWidth() * channels];
    }

    /** Photos are read where they are; elements of other types become floats first. */
    private boolean isReadInPlace() {
      DataType dtype = images.dtype();
      return dtype == DataType.FLOAT32 || (dtype == DataType.UINT8 && channels == 3);
    }

    /** A row of all images, interpolated; valid until the next call of this method. */
    float[] firstRow(int row) {
      first = keptRows[1] == row ? 1 : 0;
      return stretched(first, row);
    }

    /** Another row; the first one stays valid. */
    float[] secondRow(int row) {
      return stretched(keptRows[first] == row ? first : 1 - first, row);
    }

    private float[] stretched(int slot, int row) {
      float[] out = kept[slot];
      if (keptRows[slot] == row) {
        return out;
      }
      keptRows[slot] = row;
      int from = TensorMemory.offset(images) + row * inSize;
      switch (TensorMemory.array(images)) {
        case byte[] bytes when isReadInPlace() -> stretchPixels(bytes, from, out);
        case float[] floats -> stretch(floats, from, out);
        default -> {
          ImageFloats.copy(images, row * inSize, in, inSize);
          stretch(in, 0, out);
        }
      }
      return out;
    }

    private void stretch(float[] row, int from, float[] out) {
      if (channels == 3) {
        stretchPixels(row, from, out);
        return;
      }
      int at = 0;
      for (int x = 0; x < left.length; x++) {
        for (int c = 0; c < channels; c++) {
          float value = row[from + left[x] + c];
          out[at++] = value + (row[from + right[x] + c] - value) * fraction[x];
        }
      }
    }

    /** Pixels of three channels. */
    private void stretchPixels(float[] row, int from, float[] out) {
      for (int x = 0; x < left.length; x++) {
        int l = from + left[x];
        int r = from + right[x];
        float part = fraction[x];
        out[3 * x] = row[l] + (row[r] - row[l]) * part;
        out[3 * x + 1] = row[l + 1] + (row[r + 1] - row[l + 1]) * part;
        out[3 * x + 2] = row[l + 2] + (row[r + 2] - row[l + 2]) * part;
      }
    }

    /** Pixels of three channels of unsigned bytes. */
    private void stretchPixels(byte[] row, int from, float[] out) {
      for (int x = 0; x < left.length; x++) {
        int l = from + left[x];
        int r = from + right[x];
        float part = fraction[x];
        // Differences of bytes are exact as integers, as they are as floats.
        int red = row[l] & 0xff;
        int green = row[l + 1] & 0xff;
        int blue = row[l + 2] & 0xff;
        out[3 * x] = red + ((row[r] & 0xff) - red) * part;
        out[3 * x + 1] = green + ((row[r + 1] & 0xff) - green) * part;
        out[3 * x + 2] = blue + ((row[r + 2] & 0xff) - blue) * part;
      }
    }
  }
}

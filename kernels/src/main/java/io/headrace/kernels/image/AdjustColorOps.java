package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** AdjustContrastv2, AdjustHue and AdjustSaturation, on images with channels last. */
final class AdjustColorOps {
  /** Floats of a block. */
  private static final int BLOCK = 1024;

  private AdjustColorOps() {}

  /** Writes {@code count} adjusted floats of {@code in}, from {@code from} on, to {@code out}. */
  @FunctionalInterface
  private interface Adjustment {
    void apply(float[] in, int from, float[] out, int to, int count, float by);
  }

  static List<Op> ops() {
    return List.of(
        Op.define("AdjustContrastv2(images: T, contrast_factor: float) -> output: T")
            .attrs("T: {float} = float")
            .shape(AdjustColorOps::infer)
            .kernel(RowKernel.of(AdjustColorOps::adjustContrast)),
        Op.define("AdjustHue(images: T, delta: float) -> output: T")
            .attrs("T: {float} = float")
            .shape(AdjustColorOps::infer)
            .kernel(RowKernel.of(rows -> adjust(rows, "delta", HsvColors::adjustHue))),
        Op.define("AdjustSaturation(images: T, scale: float) -> output: T")
            .attrs("T: {float} = float")
            .shape(AdjustColorOps::infer)
            .kernel(RowKernel.of(rows -> adjust(rows, "scale", HsvColors::adjustSaturation))));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shapes.checkRankAtLeast(in.shape(0), 3);
    return List.of(in.shape(0));
  }

  private static void checkImages(Rows rows, String factor) {
    if (rows.shape(0).rank() < 3) {
      throw invalidArgument("input must be at least 3-D, got shape%s", rows.shape(0));
    }
    if (rows.shape(1).rank() != 0) {
      throw invalidArgument("%s must be scalar: %s", factor, rows.shape(1));
    }
  }

  private static boolean adjust(Rows rows, String factor, Adjustment adjustment) {
    checkImages(rows, factor);
    Shape shape = rows.shape(0);
    long channels = shape.size(shape.rank() - 1);
    if (channels != 3) {
      throw invalidArgument("input must have 3 channels but instead has %d channels.", channels);
    }
    float[] out = (float[]) rows.allocateUnset(DataType.FLOAT32, shape);
    int size = shape.elements();
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      Tensor images = rows.row(0, row);
      float by = rows.row(1, row).floats()[0];
      adjustment.apply(
          (float[]) TensorMemory.array(images),
          TensorMemory.offset(images),
          out,
          row * size,
          size,
          by);
    }
    rows.set(0, DataType.FLOAT32, shape, out);
    return true;
  }

  private static boolean adjustContrast(Rows rows) {
    checkImages(rows, "contrast_factor");
    Shape shape = rows.shape(0);
    int rank = shape.rank();
    int channels = (int) shape.size(rank - 1);
    int image = shape.sub(rank - 3, rank).elements();
    float[] out = (float[]) rows.allocateUnset(DataType.FLOAT32, shape);
    int size = shape.elements();
    for (int row = 0; row < rows.count(); row++) {
      Tensor images = rows.row(0, row);
      float factor = rows.row(1, row).floats()[0];
      for (int at = 0; at < size; at += image) {
        rows.cancellation().check();
        float[] in = (float[]) TensorMemory.array(images);
        int from = TensorMemory.offset(images) + at;
        stretch(in, from, out, row * size + at, image, means(in, from, image, channels), factor);
      }
    }
    rows.set(0, DataType.FLOAT32, shape, out);
    return true;
  }

  /** Moves {@code count} floats of an image away from their channels' means, or towards them. */
  private static void stretch(
      float[] in, int from, float[] out, int to, int count, float[] means, float factor) {
    // Blocks of whole pixels: HotSpot vectorizes loops whose arrays have one index.
    int size = Math.min(count, Math.max(1, BLOCK / means.length) * means.length);
    float[] block = new float[size];
    float[] centers = new float[size];
    for (int i = 0; i < size; i++) {
      centers[i] = means[i % means.length];
    }
    for (int at = 0; at < count; at += size) {
      int length = Math.min(size, count - at);
      System.arraycopy(in, from + at, block, 0, length);
      for (int i = 0; i < length; i++) {
        block[i] = centers[i] + factor * (block[i] - centers[i]);
      }
      System.arraycopy(block, 0, out, to + at, length);
    }
  }

  /** The mean of each channel over the {@code count} floats from {@code from} on. */
  private static float[] means(float[] in, int from, int count, int channels) {
    // Pairwise: the upper half is added to the lower one until a pixel is left, as in TensorFlow.
    float[] sums = Arrays.copyOfRange(in, from, from + count);
    int pixels = count / channels;
    float[] upper = new float[pixels / 2 * channels];
    for (int left = pixels; left > 1; ) {
      int right = left / 2;
      left -= right;
      System.arraycopy(sums, left * channels, upper, 0, right * channels);
      for (int i = 0; i < right * channels; i++) {
        sums[i] += upper[i];
      }
    }
    float scale = 1f / pixels;
    float[] means = Arrays.copyOf(sums, channels);
    for (int c = 0; c < channels; c++) {
      means[c] *= scale;
    }
    return means;
  }
}

package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.UnsafeByteOperations;
import io.headrace.kernels.image.PngEncoder;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/** Image summaries: the first images of a batch as PNG. */
final class ImageSummaries {
  private static final float TINY = 1e-6f;

  /**
   * The range to which floating-point images with negative values are scaled, around {@link
   * #SIGNED_ZERO}.
   */
  private static final float SIGNED_RANGE = 127;

  private static final float SIGNED_ZERO = 128;
  private static final float UNSIGNED_RANGE = 255;

  private final Tensor images;
  private final int height;
  private final int width;
  private final int channels;
  private final byte[] badColor;

  private ImageSummaries(Tensor images, byte[] badColor) {
    this.images = images;
    this.height = (int) images.shape().size(1);
    this.width = (int) images.shape().size(2);
    this.channels = (int) images.shape().size(3);
    this.badColor = badColor;
  }

  /**
   * The summary of {@code images}: batch, height, width, and 1, 3, or 4 channels. Floating-point
   * images are scaled to bytes. Without negative values, the greatest becomes 255; otherwise 0
   * becomes 128 and the value of the greatest magnitude 1 or 255.
   *
   * @param maxImages the number of images of the batch to include
   * @param badColor the color of pixels that are not finite
   */
  static Summary summary(
      String tag, Tensor images, long maxImages, Tensor badColor, Cancellation stop) {
    Shape shape = images.shape();
    if (shape.rank() != 4 || (shape.size(3) != 1 && shape.size(3) != 3 && shape.size(3) != 4)) {
      throw invalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not %s", shape);
    }
    if (shape.size(1) * shape.size(2) >= 1L << 29) {
      throw invalidArgument("Tensor too large for summary %s", shape);
    }
    if (images.dtype() != DataType.UINT8 && badColor.elements() < shape.size(3)) {
      throw invalidArgument(
          "expected depth <= bad_color.size, got depth = %d, bad_color.size = %d",
          shape.size(3), badColor.elements());
    }
    ImageSummaries all = new ImageSummaries(images, badColor.bytes());
    Summary.Builder summary = Summary.newBuilder();
    long shown = Math.min(maxImages, shape.size(0));
    for (int i = 0; i < shown; i++) {
      stop.check();
      String suffix = maxImages > 1 ? "/image/" + i : "/image";
      summary.addValueBuilder().setTag(tag + suffix).setImage(all.image(i));
    }
    return summary.build();
  }

  private Summary.Image image(int index) {
    if (height == 0 || width == 0) {
      throw new StatusException(
          StatusCode.INTERNAL, "PNG encoding failed: the image has no pixels: " + images.shape());
    }
    int from = TensorMemory.offset(images) + index * height * width * channels;
    PngEncoder encoder = new PngEncoder(height, width, channels, 1);
    byte[] file =
        images.dtype() == DataType.UINT8
            ? encoder.encode(TensorMemory.array(images), from, -1)
            : encoder.encode(scaled(from), 0, -1);
    return Summary.Image.newBuilder()
        .setHeight(height)
        .setWidth(width)
        .setColorspace(channels)
        .setEncodedImageString(UnsafeByteOperations.unsafeWrap(file))
        .build();
  }

  private boolean isFinite(int pixel) {
    for (int c = 0; c < channels; c++) {
      if (!Double.isFinite(
          NumericElements.floating(images.dtype(), TensorMemory.array(images), pixel + c))) {
        return false;
      }
    }
    return true;
  }

  private byte[] scaled(int from) {
    int size = height * width * channels;
    float min = Float.POSITIVE_INFINITY;
    float max = Float.NEGATIVE_INFINITY;
    for (int pixel = from; pixel < from + size; pixel += channels) {
      for (int i = pixel; isFinite(pixel) && i < pixel + channels; i++) {
        float value =
            (float) NumericElements.floating(images.dtype(), TensorMemory.array(images), i);
        min = Math.min(min, value);
        max = Math.max(max, value);
      }
    }
    boolean isSigned = min < 0;
    float farthest = isSigned ? Math.max(Math.abs(min), Math.abs(max)) : max;
    float range = isSigned ? SIGNED_RANGE : UNSIGNED_RANGE;
    double scale = rounded(farthest < TINY ? 0 : range / farthest);
    double offset = isSigned ? SIGNED_ZERO : 0;
    byte[] samples = new byte[size];
    for (int at = 0; at < size; at += channels) {
      if (isFinite(from + at)) {
        for (int i = at; i < at + channels; i++) {
          double value =
              NumericElements.floating(images.dtype(), TensorMemory.array(images), from + i);
          samples[i] = (byte) (int) rounded(rounded(value * scale) + offset);
        }
      } else {
        System.arraycopy(badColor, 0, samples, at, channels);
      }
    }
    return samples;
  }

  /** {@code value} rounded to the images' dtype, in which TensorFlow computes. */
  private double rounded(double value) {
    return switch (images.dtype()) {
      case FLOAT64 -> value;
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      default -> (float) value;
    };
  }
}

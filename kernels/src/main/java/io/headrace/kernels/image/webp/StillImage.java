package io.headrace.kernels.image.webp;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;

/** Decodes an image that does not move: a file's, or a frame of an animation. */
final class StillImage {
  private final LossyDecoder lossy;
  private final Cancellation stop;

  StillImage(LossyDecoder lossy, Cancellation stop) {
    this.lossy = lossy;
    this.stop = stop;
  }

  /**
   * Decodes {@code image}: rows of red, green, blue and, with four {@code channels}, alpha. They
   * are allocated once the image has data for them, as far as that can be told.
   */
  byte[] decode(byte[] file, Bitstream image, int width, int height, int channels)
      throws WebpException {
    if (!image.isLossless()) {
      checkDataSuffices(file, image, width, height);
    }
    Shape shape = Shape.of(height, width, channels);
    byte[] out = (byte[]) TensorLimit.allocate(DataType.UINT8, shape);
    if (image.isLossless()) {
      copy(LosslessDecoder.decode(image, file, width, height, stop), channels, out);
    } else {
      decodeLossy(file, image, width, height, channels, out);
    }
    return out;
  }

  /** A block of 16 by 16 pixels takes more than a bit, in the first part of the data. */
  private static void checkDataSuffices(byte[] file, Bitstream image, int width, int height)
      throws WebpException {
    long bits = 8L * (new WebpBytes(file, image.from(), image.to()).u24(0) >> 5);
    long blocks = (width + 15L) / 16 * ((height + 15L) / 16);
    if (blocks > bits + Long.SIZE) {
      throw new WebpException("its lossy image is cut off");
    }
  }

  private void decodeLossy(
      byte[] file, Bitstream image, int width, int height, int channels, byte[] out)
      throws WebpException {
    LossyDecoder.Frame frame = new LossyDecoder.Frame(file, image.from(), image.size(), image.to());
    if (!lossy.decode(frame, width, height, channels, out)) {
      throw new WebpException("its lossy image is damaged");
    }
    if (image.hasAlphaPlane() && channels == 4) {
      byte[] alpha = AlphaPlane.decode(file, image, width, height, stop);
      for (int i = 0; i < alpha.length; i++) {
        out[4 * i + 3] = alpha[i];
      }
    }
  }

  private static void copy(int[] pixels, int channels, byte[] out) {
    for (int i = 0; i < pixels.length; i++) {
      int pixel = pixels[i];
      out[channels * i] = (byte) (pixel >> 16);
      out[channels * i + 1] = (byte) (pixel >> 8);
      out[channels * i + 2] = (byte) pixel;
      if (channels == 4) {
        out[channels * i + 3] = (byte) (pixel >> 24);
      }
    }
  }
}

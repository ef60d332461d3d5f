package io.headrace.kernels.image.webp;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;

/** Decodes the opacity of lossy images. */
final class AlphaPlane {
  private static final int HORIZONTAL = 1;
  private static final int VERTICAL = 2;
  private static final int GRADIENT = 3;

  private AlphaPlane() {}

  /** The opacity of each pixel, by rows. */
  static byte[] decode(byte[] file, Bitstream image, int width, int height, Cancellation stop)
      throws WebpException {
    int from = image.alphaFrom() + 1;
    int left = image.alphaTo() - from;
    if (left <= 0) {
      throw new WebpException("its alpha is cut off");
    }
    int header = file[from - 1] & 0xff;
    int method = header & 3;
    int preprocessing = header >> 4 & 3;
    if (method > 1 || preprocessing > 1 || header >> 6 != 0) {
      throw new WebpException("its alpha is of an unknown kind");
    }
    byte[] plane = (byte[]) TensorLimit.allocate(DataType.UINT8, Shape.of(height, width));
    if (method == 0) {
      if (left < plane.length) {
        throw new WebpException("its alpha is cut off");
      }
      System.arraycopy(file, from, plane, 0, plane.length);
    } else {
      int[] pixels = LosslessDecoder.decode(file, from, image.alphaTo(), width, height, stop);
      for (int i = 0; i < plane.length; i++) {
        plane[i] = (byte) (pixels[i] >>> 8);
      }
    }
    unfilter(header >> 2 & 3, plane, width, height);
    return plane;
  }

  /** Undoes the prediction of each value from its neighbors. */
  private static void unfilter(int filter, byte[] plane, int width, int height) {
    if (filter == 0) {
      return;
    }
    for (int x = 1; x < width; x++) {
      plane[x] += plane[x - 1];
    }
    for (int y = 1; y < height; y++) {
      int row = y * width;
      plane[row] += plane[row - width];
      for (int at = row + 1; at < row + width; at++) {
        plane[at] += (byte) predicted(filter, plane, at, width);
      }
    }
  }

  private static int predicted(int filter, byte[] plane, int at, int width) {
    int left = plane[at - 1] & 0xff;
    int top = plane[at - width] & 0xff;
    return switch (filter) {
      case HORIZONTAL -> left;
      case VERTICAL -> top;
      case GRADIENT -> Math.clamp(left + top - (plane[at - width - 1] & 0xff), 0, 255);
      default -> throw new AssertionError(filter);
    };
  }
}

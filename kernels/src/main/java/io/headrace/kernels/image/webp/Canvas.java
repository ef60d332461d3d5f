package io.headrace.kernels.image.webp;

import io.headrace.kernels.image.webp.AnimationReader.Animation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The canvas on which the frames of an animation are painted, one after the other, with the
 * roundings of libwebp. Used by one thread.
 */
final class Canvas {
  private static final int CHANNELS = 4;
  private static final int OPAQUE = 255;

  private final byte[] file;
  private final StillImage images;
  private final int width;
  private final int height;

  /** The picture with the latest frame, and what is left of it for the next. */
  private final byte[] shown;

  private final byte[] left;

  private @Nullable AnimationFrame previous;
  private boolean isPreviousKey;

  Canvas(byte[] file, Animation animation, StillImage images) {
    this.file = file;
    this.images = images;
    this.width = animation.width();
    this.height = animation.height();
    this.shown = allocate(width, height);
    this.left = allocate(width, height);
  }

  private static byte[] allocate(int width, int height) {
    return (byte[]) TensorLimit.allocate(DataType.UINT8, Shape.of(height, width, CHANNELS));
  }

  /** The size of a picture, in bytes. */
  int size() {
    return shown.length;
  }

  /** Paints {@code frame}; returns the picture, which is valid until the next call. */
  byte[] paint(AnimationFrame frame) throws WebpException {
    AnimationFrame before = previous;
    boolean isKey = before == null || isKey(frame, before);
    if (isKey) {
      Arrays.fill(shown, (byte) 0);
    } else {
      System.arraycopy(left, 0, shown, 0, shown.length);
    }
    Bitstream image = HeaderReader.image(file, frame.from(), frame.to());
    byte[] pixels = images.decode(file, image, frame.width(), frame.height(), CHANNELS);
    int rowBytes = frame.width() * CHANNELS;
    for (int row = 0; row < frame.height(); row++) {
      System.arraycopy(pixels, row * rowBytes, shown, at(frame.x(), frame.y() + row), rowBytes);
    }
    if (before != null && !isKey && frame.isBlended()) {
      blend(frame, before);
    }
    System.arraycopy(shown, 0, left, 0, shown.length);
    if (frame.isErased()) {
      erase(frame);
    }
    previous = frame;
    isPreviousKey = isKey;
    return shown;
  }

  private int at(int x, int y) {
    return (y * width + x) * CHANNELS;
  }

  private boolean isFull(AnimationFrame frame) {
    return frame.width() == width && frame.height() == height;
  }

  /** Whether {@code frame} does not depend on those before it. */
  private boolean isKey(AnimationFrame frame, AnimationFrame before) {
    if ((!frame.hasAlpha() || !frame.isBlended()) && isFull(frame)) {
      return true;
    }
    return before.isErased() && (isFull(before) || isPreviousKey);
  }

  private void erase(AnimationFrame frame) {
    for (int row = 0; row < frame.height(); row++) {
      int from = at(frame.x(), frame.y() + row);
      Arrays.fill(left, from, from + frame.width() * CHANNELS, (byte) 0);
    }
  }

  /** Lays {@code frame} over what was left, except where {@code before} was erased. */
  private void blend(AnimationFrame frame, AnimationFrame before) {
    int from = frame.x();
    int to = from + frame.width();
    int erasedFrom = before.x();
    int erasedTo = erasedFrom + before.width();
    for (int y = frame.y(); y < frame.y() + frame.height(); y++) {
      boolean isApart =
          y < before.y()
              || y >= before.y() + before.height()
              || from >= erasedTo
              || to <= erasedFrom;
      if (!before.isErased() || isApart) {
        blendRow(y, from, to);
      } else {
        blendRow(y, from, erasedFrom);
        blendRow(y, erasedTo, to);
      }
    }
  }

  private void blendRow(int y, int from, int to) {
    for (int x = from; x < to; x++) {
      int pixel = at(x, y);
      int alpha = shown[pixel + 3] & 0xff;
      if (alpha == 0) {
        System.arraycopy(left, pixel, shown, pixel, CHANNELS);
      } else if (alpha != OPAQUE) {
        blendPixel(pixel, alpha);
      }
    }
  }

  private void blendPixel(int pixel, int alpha) {
    int share = ((left[pixel + 3] & 0xff) * (256 - alpha)) >> 8;
    int sum = alpha + share;
    int scale = (1 << 24) / sum;
    for (int channel = pixel; channel < pixel + 3; channel++) {
      int mixed = (shown[channel] & 0xff) * alpha + (left[channel] & 0xff) * share;
      shown[channel] = (byte) (((long) mixed * scale) >> 24);
    }
    shown[pixel + 3] = (byte) sum;
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * A decoded image of shape [frames, height, width, channels], row-major, from the top left corner.
 *
 * @param frames number of frames; 1 unless it is an animation
 * @param height in pixels
 * @param width in pixels
 * @param channels samples per pixel
 * @param samples a {@code byte[]} or {@code short[]} of unsigned samples
 */
record Pixels(int frames, int height, int width, int channels, Object samples) {
  private static final int BYTE_TO_SHORT = 256;

  /** Allocates 8-bit samples; fails if they exceed the bound for one tensor. */
  static byte[] allocate(int height, int width, int channels) {
    return (byte[]) TensorLimit.allocate(DataType.UINT8, Shape.of(height, width, channels));
  }

  /** A single frame of 8-bit samples. */
  static Pixels of(int height, int width, int channels, byte[] samples) {
    return new Pixels(1, height, width, channels, samples);
  }

  /**
   * A tensor of {@code dtype}: uint8, uint16 or float32 with values in [0, 1]. It shares the array
   * if no conversion is needed.
   *
   * @param withFrames whether the shape has the dimension of frames
   */
  Tensor toTensor(DataType dtype, boolean withFrames) {
    Shape image = Shape.of(height, width, channels);
    Shape shape = withFrames ? image.prepend(frames) : image;
    return Tensor.wrap(dtype, shape, converted(dtype, shape));
  }

  private Object converted(DataType dtype, Shape shape) {
    if (dtype == DataType.UINT8) {
      return samples;
    }
    if (dtype == DataType.UINT16 && samples instanceof short[]) {
      return samples;
    }
    Object result = TensorLimit.allocate(dtype, shape);
    switch (result) {
      case short[] out -> {
        byte[] in = (byte[]) samples;
        for (int i = 0; i < out.length; i++) {
          out[i] = (short) ((in[i] & 0xff) * BYTE_TO_SHORT);
        }
      }
      case float[] out -> toFloats(out);
      default -> throw new AssertionError(dtype);
    }
    return result;
  }

  private void toFloats(float[] out) {
    if (samples instanceof byte[] in) {
      float scale = (float) (1. / 255);
      for (int i = 0; i < out.length; i++) {
        out[i] = (in[i] & 0xff) * scale;
      }
    } else {
      short[] in = (short[]) samples;
      float scale = (float) (1. / 65535);
      for (int i = 0; i < out.length; i++) {
        out[i] = (in[i] & 0xffff) * scale;
      }
    }
  }

  /** Copies the pixels of {@code window}; null if it is not within the image. */
  @Nullable Pixels crop(JpegDecoder.Window window) {
    if (!window.isWithin(height, width)) {
      return null;
    }
    byte[] in = (byte[]) samples;
    byte[] out = allocate(window.height(), window.width(), channels);
    int rowBytes = window.width() * channels;
    for (int row = 0; row < window.height(); row++) {
      int from = ((window.y() + row) * width + window.x()) * channels;
      System.arraycopy(in, from, out, row * rowBytes, rowBytes);
    }
    return of(window.height(), window.width(), channels, out);
  }
}

package io.headrace.kernels.image;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;

/**
 * A decoded image: rows from the top, pixels from the left, channels together, in a {@code byte[]}
 * or {@code short[]} of unsigned samples.
 *
 * @param frames images one after the other; 1 unless it is an animation
 * @param height rows
 * @param width pixels in a row
 * @param channels samples in a pixel
 * @param samples the samples
 */
record Pixels(int frames, int height, int width, int channels, Object samples) {
  private static final int BYTE_TO_SHORT = 256;

  /** An array for 8-bit samples of an image of that size; checked against the bound on tensors. */
  static byte[] allocate(int height, int width, int channels) {
    return (byte[]) TensorLimit.allocate(DataType.UINT8, Shape.of(height, width, channels));
  }

  /** One image of 8-bit samples. */
  static Pixels of(int height, int width, int channels, byte[] samples) {
    return new Pixels(1, height, width, channels, samples);
  }

  /** As a tensor of {@code dtype}, in which 1.0, 65535 or 255 is the brightest. */
  Tensor toTensor(DataType dtype, boolean withFrames) {
    Shape image = Shape.of(height, width, channels);
    Shape shape = withFrames ? image.prepend(frames) : image;
    return Tensor.of(dtype, shape, converted(dtype, shape));
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

  /** The {@code cropHeight} by {@code cropWidth} pixels from row {@code y} and column {@code x}. */
  Pixels crop(int y, int x, int cropHeight, int cropWidth) {
    byte[] in = (byte[]) samples;
    byte[] out = allocate(cropHeight, cropWidth, channels);
    int rowBytes = cropWidth * channels;
    for (int row = 0; row < cropHeight; row++) {
      System.arraycopy(in, ((y + row) * width + x) * channels, out, row * rowBytes, rowBytes);
    }
    return of(cropHeight, cropWidth, channels, out);
  }
}

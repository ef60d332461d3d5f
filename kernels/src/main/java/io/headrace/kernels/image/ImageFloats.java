package io.headrace.kernels.image;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;

/** Conversion of images of any real dtype to float32, the dtype in which ops interpolate. */
final class ImageFloats {
  private ImageFloats() {}

  /** The elements, from index 0 on. Callers must not write to the array: it may be the tensor's. */
  static float[] of(Tensor images) {
    if (images.dtype() == DataType.FLOAT32) {
      return (float[]) TensorMemory.array(images.detach());
    }
    float[] result = (float[]) TensorLimit.allocate(DataType.FLOAT32, images.shape());
    copy(images, 0, result, result.length);
    return result;
  }

  /**
   * Writes {@code count} elements, from index {@code first} on, to the beginning of {@code out}.
   */
  static void copy(Tensor images, int first, float[] out, int count) {
    boolean unsigned = images.dtype().isUnsigned();
    int from = TensorMemory.offset(images) + first;
    switch (TensorMemory.array(images)) {
      case float[] a -> System.arraycopy(a, from, out, 0, count);
      case byte[] a -> {
        int mask = unsigned ? 0xff : -1;
        for (int i = 0; i < count; i++) {
          out[i] = a[from + i] & mask;
        }
      }
      case short[] a -> {
        for (int i = 0; i < count; i++) {
          out[i] = ofShort(a[from + i], images.dtype());
        }
      }
      case int[] a -> {
        for (int i = 0; i < count; i++) {
          out[i] = a[from + i];
        }
      }
      case long[] a -> {
        for (int i = 0; i < count; i++) {
          out[i] = a[from + i];
        }
      }
      case double[] a -> {
        for (int i = 0; i < count; i++) {
          out[i] = (float) a[from + i];
        }
      }
      default -> throw new AssertionError(images.dtype());
    }
  }

  private static float ofShort(short value, DataType dtype) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(value);
      case BFLOAT16 -> Float.intBitsToFloat(value << 16);
      case UINT16 -> value & 0xffff;
      default -> value;
    };
  }

  /** Copies the rows of an image that begins at {@code from} into an array each. */
  static float[][] lines(float[] images, int from, int height, int lineSize) {
    float[][] lines = new float[height][];
    for (int y = 0; y < height; y++) {
      lines[y] = Arrays.copyOfRange(images, from + y * lineSize, from + (y + 1) * lineSize);
    }
    return lines;
  }

  /**
   * {@code value} without its fraction, as an x86 processor converts it: the smallest number stands
   * for NaN and for what does not fit.
   */
  static long truncated(float value) {
    return Math.abs(value) < 0x1p63f ? (long) value : Long.MIN_VALUE;
  }
}

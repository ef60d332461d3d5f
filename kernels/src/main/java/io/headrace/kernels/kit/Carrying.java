package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;

/**
 * Numbers in the arrays that sums of products are made in: their own, but float for the 16-bit
 * floats, and of complex numbers one array a part. Of integers, those of 32 and 64 bits.
 */
public final class Carrying {
  private Carrying() {}

  /** A new array of zeros for sums over {@code dtype}, or over one part of it if it is complex. */
  public static Object newArray(DataType dtype, int size) {
    return switch (dtype.kind()) {
      case FLOAT, FLOAT_PAIR -> new float[size];
      case DOUBLE, DOUBLE_PAIR -> new double[size];
      case LONG -> new long[size];
      case SHORT -> new float[size];
      case INT -> new int[size];
      case BYTE, BYTES, REFERENCE -> throw new AssertionError(dtype);
    };
  }

  /** The elements of a real tensor from index 0 on; not to be written to. */
  public static Object widen(Tensor tensor) {
    DataType dtype = tensor.dtype();
    if (dtype.kind() != ElementKind.SHORT) {
      return tensor.compact().array();
    }
    short[] in = (short[]) tensor.array();
    float[] out = new float[tensor.elements()];
    for (int i = 0; i < out.length; i++) {
      out[i] = Numbers.half(dtype, in[tensor.offset() + i]);
    }
    return out;
  }

  /** The elements of a real or complex tensor as floats or doubles: the part {@code part}. */
  public static Object part(Tensor tensor, int part) {
    if (tensor.dtype().kind().slots() == 1) {
      return widen(tensor);
    }
    int n = tensor.elements();
    int from = tensor.offset() * 2 + part;
    Object result = newArray(tensor.dtype(), n);
    switch (tensor.array()) {
      case float[] in -> {
        float[] out = (float[]) result;
        for (int i = 0; i < n; i++) {
          out[i] = in[from + 2 * i];
        }
      }
      case double[] in -> {
        double[] out = (double[]) result;
        for (int i = 0; i < n; i++) {
          out[i] = in[from + 2 * i];
        }
      }
      default -> throw new AssertionError(tensor.dtype());
    }
    return result;
  }

  /** The array of a real {@code dtype} for sums: themselves, or a rounded copy. */
  public static Object narrow(DataType dtype, Object sums) {
    if (dtype.kind() != ElementKind.SHORT) {
      return sums;
    }
    float[] in = (float[]) sums;
    short[] out = new short[in.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = Numbers.toHalf(dtype, in[i]);
    }
    return out;
  }

  /** The array of a complex dtype for its parts. */
  public static Object join(Object real, Object imaginary) {
    return switch (real) {
      case float[] re -> {
        float[] im = (float[]) imaginary;
        float[] out = new float[Math.multiplyExact(2, re.length)];
        for (int i = 0; i < re.length; i++) {
          out[2 * i] = re[i];
          out[2 * i + 1] = im[i];
        }
        yield out;
      }
      case double[] re -> {
        double[] im = (double[]) imaginary;
        double[] out = new double[Math.multiplyExact(2, re.length)];
        for (int i = 0; i < re.length; i++) {
          out[2 * i] = re[i];
          out[2 * i + 1] = im[i];
        }
        yield out;
      }
      default -> throw new AssertionError(real.getClass());
    };
  }

  /** {@code values}, each negated. */
  public static Object negated(Object values) {
    return switch (values) {
      case float[] in -> {
        float[] out = new float[in.length];
        for (int i = 0; i < out.length; i++) {
          out[i] = -in[i];
        }
        yield out;
      }
      case double[] in -> {
        double[] out = new double[in.length];
        for (int i = 0; i < out.length; i++) {
          out[i] = -in[i];
        }
        yield out;
      }
      default -> throw new AssertionError(values.getClass());
    };
  }
}

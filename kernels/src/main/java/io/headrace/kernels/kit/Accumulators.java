package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/**
 * Accumulator arrays: conversion between tensors and the arrays in which sums of products are
 * computed. The accumulator type is the element's own, but float for half and bfloat16; complex
 * numbers have one array for the real and one for the imaginary parts. Integers are those of 32 and
 * 64 bits.
 */
public final class Accumulators {
  private Accumulators() {}

  /** A new array of {@code size} zeroed accumulators for {@code dtype}; for one part if complex. */
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

  /**
   * The elements of a real tensor in their accumulator type, from index 0 on. Read-only: it may be
   * the tensor's own array.
   */
  public static Object widen(Tensor tensor) {
    DataType dtype = tensor.dtype();
    if (dtype.kind() != ElementKind.SHORT) {
      return TensorMemory.array(tensor.detach());
    }
    short[] in = (short[]) TensorMemory.array(tensor);
    float[] out = new float[tensor.elements()];
    for (int i = 0; i < out.length; i++) {
      out[i] = NumericElements.half(dtype, in[TensorMemory.offset(tensor) + i]);
    }
    return out;
  }

  /**
   * The elements of a real tensor, or one part of those of a complex tensor. Read-only for a real
   * tensor.
   *
   * @param part 0 for the real parts, 1 for the imaginary parts
   */
  public static Object part(Tensor tensor, int part) {
    if (tensor.dtype().kind().slots() == 1) {
      return widen(tensor);
    }
    int n = tensor.elements();
    int from = TensorMemory.offset(tensor) * 2 + part;
    Object result = newArray(tensor.dtype(), n);
    switch (TensorMemory.array(tensor)) {
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

  /**
   * {@code sums} as the element array of a tensor of the real {@code dtype}: the same array, or a
   * rounded copy for half and bfloat16.
   */
  public static Object narrow(DataType dtype, Object sums) {
    if (dtype.kind() != ElementKind.SHORT) {
      return sums;
    }
    float[] in = (float[]) sums;
    short[] out = new short[in.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = NumericElements.toHalf(dtype, in[i]);
    }
    return out;
  }

  /** The element array of a complex tensor with the parts {@code real} and {@code imaginary}. */
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

  /** A new float or double array of the negated {@code values}. */
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

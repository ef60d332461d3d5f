package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;

/** Bitwise comparison of tensors. */
public final class TensorEquality {
  private TensorEquality() {}

  /** Whether all elements of {@code a} and {@code b}, which have one dtype and shape, are equal. */
  public static boolean equal(Tensor a, Tensor b) {
    int slots = a.elements() * a.dtype().kind().slots();
    int i = a.offset() * a.dtype().kind().slots();
    int j = b.offset() * b.dtype().kind().slots();
    return switch (a.array()) {
      case byte[] x -> Arrays.equals(x, i, i + slots, (byte[]) b.array(), j, j + slots);
      case short[] x -> Arrays.equals(x, i, i + slots, (short[]) b.array(), j, j + slots);
      case int[] x -> Arrays.equals(x, i, i + slots, (int[]) b.array(), j, j + slots);
      case long[] x -> Arrays.equals(x, i, i + slots, (long[]) b.array(), j, j + slots);
      case float[] x -> Arrays.equals(x, i, i + slots, (float[]) b.array(), j, j + slots);
      case double[] x -> Arrays.equals(x, i, i + slots, (double[]) b.array(), j, j + slots);
      case byte[][] x ->
          Arrays.equals(x, i, i + slots, (byte[][]) b.array(), j, j + slots, Arrays::compare);
      case Object[] x -> Arrays.equals(x, i, i + slots, (Object[]) b.array(), j, j + slots);
      default -> throw new AssertionError(a.array().getClass());
    };
  }
}

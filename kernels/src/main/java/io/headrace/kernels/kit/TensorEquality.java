package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;

/** Bitwise comparison of tensors. */
public final class TensorEquality {
  private TensorEquality() {}

  /** Whether all elements of {@code a} and {@code b}, which have one dtype and shape, are equal. */
  public static boolean equal(Tensor a, Tensor b) {
    int slots = a.elements() * a.dtype().kind().slots();
    int i = TensorMemory.offset(a) * a.dtype().kind().slots();
    int j = TensorMemory.offset(b) * b.dtype().kind().slots();
    return switch (TensorMemory.array(a)) {
      case byte[] x -> Arrays.equals(x, i, i + slots, (byte[]) TensorMemory.array(b), j, j + slots);
      case short[] x ->
          Arrays.equals(x, i, i + slots, (short[]) TensorMemory.array(b), j, j + slots);
      case int[] x -> Arrays.equals(x, i, i + slots, (int[]) TensorMemory.array(b), j, j + slots);
      case long[] x -> Arrays.equals(x, i, i + slots, (long[]) TensorMemory.array(b), j, j + slots);
      case float[] x ->
          Arrays.equals(x, i, i + slots, (float[]) TensorMemory.array(b), j, j + slots);
      case double[] x ->
          Arrays.equals(x, i, i + slots, (double[]) TensorMemory.array(b), j, j + slots);
      case byte[][] x ->
          Arrays.equals(
              x, i, i + slots, (byte[][]) TensorMemory.array(b), j, j + slots, Arrays::compare);
      case Object[] x ->
          Arrays.equals(x, i, i + slots, (Object[]) TensorMemory.array(b), j, j + slots);
      default -> throw new AssertionError(TensorMemory.array(a).getClass());
    };
  }

  /** A hash of the elements, for which tensors that are {@link #equal} agree. */
  public static int hash(Tensor tensor) {
    int slots = tensor.elements() * tensor.dtype().kind().slots();
    int first = TensorMemory.offset(tensor) * tensor.dtype().kind().slots();
    int hash = 1;
    for (int i = first; i < first + slots; i++) {
      hash = 31 * hash + elementHash(TensorMemory.array(tensor), i);
    }
    return hash;
  }

  private static int elementHash(Object array, int i) {
    return switch (array) {
      case byte[] a -> a[i];
      case short[] a -> a[i];
      case int[] a -> a[i];
      case long[] a -> Long.hashCode(a[i]);
      case float[] a -> Float.hashCode(a[i]);
      case double[] a -> Double.hashCode(a[i]);
      case byte[][] a -> Arrays.hashCode(a[i]);
      case Object[] a -> a[i].hashCode();
      default -> throw new AssertionError(array.getClass());
    };
  }
}

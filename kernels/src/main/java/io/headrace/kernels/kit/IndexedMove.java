package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.ElementKind;

/**
 * Gathers blocks of elements by index. All blocks of an array have one size, and the first begins
 * at a given element. One implementation per array type serves all dtypes.
 */
public final class IndexedMove {
  private IndexedMove() {}

  /**
   * Copies the blocks {@code indices} of {@code from} to consecutive blocks of {@code to}.
   *
   * @param first the element of {@code from} at which block 0 begins
   * @param block elements per block
   * @param at the element of {@code to} at which the first copy begins
   */
  public static void gather(
      ElementKind kind, Object from, int first, int block, int[] indices, Object to, int at) {
    if (block == 1 && kind.slots() == 1) {
      gatherSingle(from, first, indices, to, at);
      return;
    }
    for (int i = 0; i < indices.length; i++) {
      kind.copy(from, first + indices[i] * block, to, at + i * block, block);
    }
  }

  private static void gatherSingle(Object from, int first, int[] indices, Object to, int at) {
    switch (from) {
      case byte[] a -> gather(a, first, indices, (byte[]) to, at);
      case short[] a -> gather(a, first, indices, (short[]) to, at);
      case int[] a -> gather(a, first, indices, (int[]) to, at);
      case long[] a -> gather(a, first, indices, (long[]) to, at);
      case float[] a -> gather(a, first, indices, (float[]) to, at);
      case double[] a -> gather(a, first, indices, (double[]) to, at);
      case Object[] a -> gather(a, first, indices, (Object[]) to, at);
      default -> throw new AssertionError(from.getClass());
    }
  }

  private static void gather(byte[] from, int first, int[] indices, byte[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(short[] from, int first, int[] indices, short[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(int[] from, int first, int[] indices, int[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(long[] from, int first, int[] indices, long[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(float[] from, int first, int[] indices, float[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(double[] from, int first, int[] indices, double[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }

  private static void gather(Object[] from, int first, int[] indices, Object[] to, int at) {
    for (int i = 0; i < indices.length; i++) {
      to[at + i] = from[first + indices[i]];
    }
  }
}

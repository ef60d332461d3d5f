package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.ElementKind;

/**
 * Moves blocks of elements that are picked by index. Blocks are numbered from an element on, all of
 * one size; written once for all dtypes of a kind.
 */
public final class IndexedMove {
  private IndexedMove() {}

  /** Copies the blocks {@code indices}, of {@code block} elements each, one after the other. */
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

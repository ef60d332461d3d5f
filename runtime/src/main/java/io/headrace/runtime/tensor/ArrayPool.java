package io.headrace.runtime.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Arrays that a thread keeps for its next values. A new array has to be cleared by the JVM, in
 * memory that is in no cache: with images of some hundred KiB that took a third of the time of map
 * functions.
 *
 * <p>No part of the API of programs. Each pool is used by one thread.
 */
public final class ArrayPool {
  /** Smaller arrays are allocated faster than they are found again. */
  private static final int MIN_BYTES = 4 << 10;

  private static final int MAX_ARRAYS = 64;

  /** The bytes that a thread keeps at most: some of the results of a function over images. */
  static final long MAX_BYTES =
      Math.min(
          64L << 20,
          Runtime.getRuntime().maxMemory() / 32 / Runtime.getRuntime().availableProcessors());

  private static final ThreadLocal<ArrayPool> OF_THREAD = ThreadLocal.withInitial(ArrayPool::new);

  /** An array, with its size in bytes. */
  private record Kept(Object array, long size) {}

  /** The oldest first. */
  private final List<Kept> arrays = new ArrayList<>();

  private long bytes;

  /** The innermost run of the thread. */
  @Nullable RunArrays run;

  private ArrayPool() {}

  /** The pool of the calling thread; virtual threads, which do not live long, get an empty one. */
  public static ArrayPool ofThread() {
    return Thread.currentThread().isVirtual() ? new ArrayPool() : OF_THREAD.get();
  }

  /**
   * An array of {@code kind} for exactly {@code elements} elements, which are undefined; of kinds
   * of variable size all are null.
   */
  public Object take(ElementKind kind, int elements) {
    Object kept = poll(kind, elements);
    if (kept != null) {
      return kept;
    }
    Object array = kind.newArray(elements);
    assert isSpoilt(array);
    return array;
  }

  /** The same, but all are zero: what the caches hold is cleared faster than new memory. */
  Object takeZeros(ElementKind kind, int elements) {
    Object kept = poll(kind, elements);
    if (kept == null) {
      return kind.newArray(elements);
    }
    fill(kept, (byte) 0);
    return kept;
  }

  private @Nullable Object poll(ElementKind kind, int elements) {
    if (!isPooled(kind, elements)) {
      return null;
    }
    long size = size(kind, elements);
    for (int i = arrays.size() - 1; i >= 0; i--) {
      Kept kept = arrays.get(i);
      if (kept.size() == size && kind.isArray(kept.array())) {
        arrays.remove(i);
        bytes -= size;
        return kept.array();
      }
    }
    return null;
  }

  /** {@code array}, of which the thread's innermost run knows now if it is large. */
  Object noted(ElementKind kind, int elements, Object array) {
    if (run != null && isPooled(kind, elements)) {
      run.note(array);
    }
    return array;
  }

  private static boolean isPooled(ElementKind kind, int elements) {
    return size(kind, elements) >= MIN_BYTES;
  }

  private static long size(ElementKind kind, int elements) {
    return (long) elements * kind.elementBytes();
  }

  /** Keeps {@code array}, of {@code kind}, to which nobody refers any longer. */
  public void give(ElementKind kind, Object array) {
    long size = size(kind, kind.capacity(array));
    if (size < MIN_BYTES || size > MAX_BYTES) {
      return;
    }
    assert isSpoilt(array);
    while (bytes + size > MAX_BYTES || arrays.size() == MAX_ARRAYS) {
      bytes -= arrays.removeFirst().size();
    }
    arrays.add(new Kept(array, size));
    bytes += size;
  }

  /** Writes nonsense into {@code array}, so that tests notice who reads what nobody wrote. */
  private static boolean isSpoilt(Object array) {
    fill(array, (byte) 0xA5);
    return true;
  }

  /** Sets all bytes of an array of primitives. */
  private static void fill(Object array, byte value) {
    switch (array) {
      case byte[] bytes -> Arrays.fill(bytes, value);
      case short[] shorts -> Arrays.fill(shorts, (short) (value * 0x0101));
      case int[] ints -> Arrays.fill(ints, value * 0x01010101);
      case long[] longs -> Arrays.fill(longs, value * 0x0101010101010101L);
      case float[] floats -> Arrays.fill(floats, Float.intBitsToFloat(value * 0x01010101));
      case double[] doubles ->
          Arrays.fill(doubles, Double.longBitsToDouble(value * 0x0101010101010101L));
      default -> {} // strings and references are null
    }
  }
}

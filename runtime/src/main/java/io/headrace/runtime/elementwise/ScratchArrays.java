package io.headrace.runtime.elementwise;

import io.headrace.runtime.tensor.ElementKind;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Arrays for intermediate results, which a thread keeps for its next evaluation: a new array has to
 * be zeroed, in memory that is in no cache. Their contents are undefined. Used by one thread.
 */
final class ScratchArrays {
  /** The bytes that a thread keeps at most: about what its core's cache holds. */
  private static final int MAX_KEPT_BYTES = 2 << 20;

  private static final ThreadLocal<ScratchArrays> OF_THREAD =
      ThreadLocal.withInitial(ScratchArrays::new);

  private final Map<ElementKind, ArrayDeque<Object>> kept = new EnumMap<>(ElementKind.class);
  private long keptBytes;

  /** Those of the calling thread; none are kept for a virtual thread, which does not live long. */
  static ScratchArrays ofThread() {
    return Thread.currentThread().isVirtual() ? new ScratchArrays() : OF_THREAD.get();
  }

  /** An array of {@code kind} with room for {@code elements} elements, or more. */
  Object take(ElementKind kind, int elements) {
    @Nullable ArrayDeque<Object> arrays = kept.get(kind);
    Object last = arrays == null ? null : arrays.pollLast();
    if (last != null) {
      keptBytes -= bytes(kind, last);
      if (kind.capacity(last) >= elements) {
        return last;
      }
    }
    return kind.newArray(elements);
  }

  /** Takes back an array that the thread uses no longer. */
  void release(ElementKind kind, Object array) {
    long bytes = bytes(kind, array);
    if (kind.isFixedWidth() && keptBytes + bytes <= MAX_KEPT_BYTES) {
      keptBytes += bytes;
      kept.computeIfAbsent(kind, _ -> new ArrayDeque<>()).addLast(array);
    }
  }

  private static long bytes(ElementKind kind, Object array) {
    return (long) kind.capacity(array) * kind.elementBytes();
  }
}

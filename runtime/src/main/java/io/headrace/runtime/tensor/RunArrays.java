package io.headrace.runtime.tensor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that kernels allocated in a run of a function, as far as nobody can have kept them.
 * The run gives an array back, for a later result, once no value needs it.
 *
 * <p>Arrays of other origins (arguments, constants, captured values) are never given back. No part
 * of the API of programs. Used by the thread that began it.
 */
public final class RunArrays implements AutoCloseable {
  /** No more are remembered. */
  private static final int MAX_ARRAYS = 64;

  private final ArrayPool pool;
  private final @Nullable RunArrays outer;
  private @Nullable Object[] arrays = new Object[8];
  private int count;

  private RunArrays(ArrayPool pool) {
    this.pool = pool;
    this.outer = pool.run;
  }

  /** Begins a run on the calling thread; it may be within another one. */
  public static RunArrays begin() {
    ArrayPool pool = ArrayPool.ofThread();
    RunArrays run = new RunArrays(pool);
    pool.run = run;
    return run;
  }

  /** An array for a kernel of the thread's innermost run; its elements are undefined. */
  static Object take(ElementKind kind, int elements) {
    ArrayPool pool = ArrayPool.ofThread();
    return pool.noted(kind, elements, pool.take(kind, elements));
  }

  /** The same, but all elements are zero, or null. */
  static Object takeZeros(ElementKind kind, int elements) {
    ArrayPool pool = ArrayPool.ofThread();
    return pool.noted(kind, elements, pool.takeZeros(kind, elements));
  }

  /** Remembers an array that was allocated, unless it is one too many. */
  void note(Object array) {
    if (count == MAX_ARRAYS) {
      return;
    }
    if (count == arrays.length) {
      arrays = Arrays.copyOf(arrays, 2 * count);
    }
    arrays[count++] = array;
  }

  /** The number of arrays that may be given back some time. */
  public int count() {
    return count;
  }

  /** Gives back none of the arrays that were allocated since {@link #count} was {@code before}. */
  public void keepSince(int before) {
    while (count > before) {
      arrays[--count] = null;
    }
  }

  /** Never gives back the arrays of {@code value}. */
  public void keep(Tensor value) {
    switch (value.storage()) {
      case Storage.HostArray(Object array, int _) -> remove(array);
      case Storage.InPieces pieces -> {
        var parts = pieces.pieces();
        if (parts != null) {
          parts.forEach(this::keep);
        }
      }
      case Storage.OnDevice _, Storage.InNative _ -> {}
    }
  }

  /** Whether {@code value} is in an array of its own, and not in pieces or in other memory. */
  public static boolean isInArray(Tensor value) {
    return value.storage() instanceof Storage.HostArray;
  }

  /**
   * Takes back the array of {@code value}, which nobody uses any longer.
   *
   * @param registers the values that are still in use; if one lies in the same array, nothing
   *     happens
   */
  public void recycle(Tensor value, @Nullable Tensor[] registers) {
    if (value.storage() instanceof Storage.HostArray(Object array, int _)
        && indexOf(array) >= 0
        && !isIn(array, registers)) {
      remove(array);
      pool.give(value.dtype().kind(), array);
    }
  }

  @SuppressWarnings("ReferenceEquality") // of arrays
  private static boolean isIn(Object array, @Nullable Tensor[] registers) {
    for (Tensor other : registers) {
      if (other != null
          && other.storage() instanceof Storage.HostArray(Object used, int _)
          && used == array) {
        return true;
      }
    }
    return false;
  }

  @SuppressWarnings("ReferenceEquality") // of arrays
  private int indexOf(Object array) {
    for (int i = 0; i < count; i++) {
      if (arrays[i] == array) {
        return i;
      }
    }
    return -1;
  }

  private void remove(Object array) {
    int index = indexOf(array);
    if (index >= 0) {
      arrays[index] = arrays[--count];
      arrays[count] = null;
    }
  }

  /** Ends the run. */
  @Override
  public void close() {
    pool.run = outer;
  }
}

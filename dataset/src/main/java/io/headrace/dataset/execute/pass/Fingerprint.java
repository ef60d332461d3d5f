package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.reflect.Array;
import java.util.List;

/**
 * A 64-bit hash of the added values, in order: MurmurHash3's finalizer over longs. The same on
 * every platform. Not thread-safe.
 */
public final class Fingerprint {
  /** The most elements hashed per tensor; of a larger tensor, elements at equal distances. */
  private static final int MAX_ELEMENTS = 1 << 19;

  /** The most bytes hashed per string, and for all strings of a tensor together. */
  private static final int MAX_STRING_BYTES = 1 << 10;

  private static final int MAX_BYTES = 1 << 22;

  private long hash;

  /** The hash of everything added. */
  public long value() {
    return hash;
  }

  @CanIgnoreReturnValue
  Fingerprint add(long value) {
    hash = mixed(hash * 31 + mixed(value + 0x9E3779B97F4A7C15L));
    return this;
  }

  private static long mixed(long value) {
    long x = (value ^ (value >>> 33)) * 0xFF51AFD7ED558CCDL;
    x = (x ^ (x >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return x ^ (x >>> 33);
  }

  /** Adds a string: its length, and its bytes or a sample of them. */
  @CanIgnoreReturnValue
  Fingerprint add(byte[] bytes) {
    add(bytes.length);
    long word = 0;
    int step = step(bytes.length, MAX_STRING_BYTES);
    int added = 0;
    for (int i = 0; i < bytes.length; i += step) {
      word = word << 8 | (bytes[i] & 0xff);
      if (++added % Long.BYTES == 0) {
        add(word);
      }
    }
    return add(word);
  }

  /** Adds the rows of {@code chunks}. */
  @CanIgnoreReturnValue
  public Fingerprint add(List<Chunk> chunks) {
    add(chunks.size());
    int step = step(chunks.size(), MAX_ELEMENTS);
    for (int i = 0; i < chunks.size(); i += step) {
      for (Column column : chunks.get(i).columns()) {
        add(column);
      }
    }
    return this;
  }

  private void add(Column column) {
    if (column instanceof Column.Stacked stacked) {
      add(stacked.tensor());
      return;
    }
    int step = step(column.rows(), MAX_ELEMENTS);
    for (int i = 0; i < column.rows(); i += step) {
      add(column.row(i));
    }
  }

  /** Adds a tensor's dtype, shape and elements; for resources and variants, no elements. */
  @CanIgnoreReturnValue
  public Fingerprint add(Tensor tensor) {
    add(tensor.dtype().number());
    for (long size : tensor.shape().dimensions()) {
      add(size);
    }
    int slots = tensor.dtype().kind().slots();
    int from = TensorMemory.offset(tensor) * slots;
    int count = tensor.elements() * slots;
    if (TensorMemory.array(tensor) instanceof byte[][] strings) {
      addStrings(strings, from, count);
    } else if (tensor.dtype().kind().isFixedWidth()) {
      int step = step(count, MAX_ELEMENTS);
      for (int i = from; i < from + count; i += step) {
        add(bits(TensorMemory.array(tensor), i));
      }
    }
    return this;
  }

  private void addStrings(byte[][] strings, int from, int count) {
    long bytes = 0;
    for (int i = from; i < from + count; i++) {
      bytes += Math.min(strings[i].length, MAX_STRING_BYTES);
    }
    int step = (int) Math.max(step(count, MAX_ELEMENTS), bytes / MAX_BYTES);
    for (int i = from; i < from + count; i += step) {
      add(strings[i]);
    }
  }

  private static long bits(Object array, int index) {
    return switch (array) {
      case float[] a -> Float.floatToRawIntBits(a[index]);
      case double[] a -> Double.doubleToRawLongBits(a[index]);
      default -> Array.getLong(array, index);
    };
  }

  /**
   * The stride with which at most {@code most} of {@code count} are visited, the first included.
   */
  private static int step(int count, int most) {
    return Math.max(1, Math.ceilDiv(count, most));
  }
}

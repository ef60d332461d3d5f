package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.DataType;
import java.util.Arrays;

/**
 * The index of a lookup table: a hash map from int32, int64 or string keys to consecutive numbers
 * from 0 on. Concurrent {@code find} calls are safe while no thread changes the index.
 */
public abstract sealed class KeyIndex permits KeyIndex.OfIntegers, KeyIndex.OfStrings {
  /*
   * Open addressing with linear probing: `buckets` holds the number of a key, plus one, in the
   * first free bucket from its hash on; at most half of the buckets are in use. Removal shifts the
   * later keys of the probe run back, so that no run has a gap, and renumbers the last key to the
   * freed number.
   */

  static final int NONE = -1;
  private static final int FIRST_CAPACITY = 8;

  private int[] buckets = new int[2 * FIRST_CAPACITY];
  private int size;

  /** An index of keys of {@code dtype}; INVALID_ARGUMENT for an unsupported key dtype. */
  public static KeyIndex of(DataType dtype) {
    if (dtype == DataType.STRING) {
      return new OfStrings();
    }
    if (dtype == DataType.INT32 || dtype == DataType.INT64) {
      return new OfIntegers();
    }
    throw invalidArgument(
        "a table's keys must be int32, int64 or string, and are %s", dtype.tfName());
  }

  /** Number of keys. */
  public final int size() {
    return size;
  }

  /** The number of the key {@code array[at]}, or -1 ({@link #NONE}) if it is absent. */
  public final int find(Object array, int at) {
    int number = buckets[bucketOf(array, at)] - 1;
    return number < 0 ? NONE : number;
  }

  /** The number of the key {@code array[at]}; an absent key is added with the next number. */
  public final int put(Object array, int at) {
    int bucket = bucketOf(array, at);
    if (buckets[bucket] > 0) {
      return buckets[bucket] - 1;
    }
    store(size, array, at);
    buckets[bucket] = ++size;
    if (2 * size > buckets.length) {
      grow();
    }
    return size - 1;
  }

  /**
   * Removes the key {@code array[at]} and returns its number, or -1 ({@link #NONE}) if it is
   * absent. The key with the last number takes the freed number.
   */
  public final int remove(Object array, int at) {
    int bucket = bucketOf(array, at);
    int number = buckets[bucket] - 1;
    if (number < 0) {
      return NONE;
    }
    close(bucket);
    int last = --size;
    if (number != last) {
      buckets[bucketOfNumber(last)] = number + 1;
      move(last, number);
    }
    forget(last);
    return number;
  }

  private void close(int emptied) {
    int mask = buckets.length - 1;
    int gap = emptied;
    int next = (gap + 1) & mask;
    while (buckets[next] != 0) {
      int home = spread(hash(buckets[next] - 1)) & mask;
      if (((next - home) & mask) >= ((next - gap) & mask)) {
        buckets[gap] = buckets[next];
        gap = next;
      }
      next = (next + 1) & mask;
    }
    buckets[gap] = 0;
  }

  private int bucketOfNumber(int number) {
    int bucket = spread(hash(number)) & (buckets.length - 1);
    while (buckets[bucket] != number + 1) {
      bucket = (bucket + 1) & (buckets.length - 1);
    }
    return bucket;
  }

  private int bucketOf(Object array, int at) {
    int bucket = spread(hash(array, at)) & (buckets.length - 1);
    while (buckets[bucket] != 0 && !isKey(buckets[bucket] - 1, array, at)) {
      bucket = (bucket + 1) & (buckets.length - 1);
    }
    return bucket;
  }

  private void grow() {
    int[] larger = new int[2 * buckets.length];
    for (int number = 0; number < size; number++) {
      int bucket = spread(hash(number)) & (larger.length - 1);
      while (larger[bucket] != 0) {
        bucket = (bucket + 1) & (larger.length - 1);
      }
      larger[bucket] = number + 1;
    }
    buckets = larger;
  }

  private static int spread(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ (mixed >>> 15);
  }

  /** Copies all keys to {@code array}, in the order of their numbers. */
  public abstract void copyTo(Object array);

  abstract int hash(int number);

  abstract int hash(Object array, int at);

  abstract boolean isKey(int number, Object array, int at);

  abstract void store(int number, Object array, int at);

  abstract void move(int from, int to);

  abstract void forget(int number);

  /** Keys of {@code int[]} or {@code long[]}. */
  static final class OfIntegers extends KeyIndex {
    private long[] keys = new long[FIRST_CAPACITY];

    private static long key(Object array, int at) {
      return array instanceof int[] ints ? ints[at] : ((long[]) array)[at];
    }

    @Override
    int hash(int number) {
      return Long.hashCode(keys[number]);
    }

    @Override
    int hash(Object array, int at) {
      return Long.hashCode(key(array, at));
    }

    @Override
    boolean isKey(int number, Object array, int at) {
      return keys[number] == key(array, at);
    }

    @Override
    void store(int number, Object array, int at) {
      if (number == keys.length) {
        keys = Arrays.copyOf(keys, 2 * number);
      }
      keys[number] = key(array, at);
    }

    @Override
    void move(int from, int to) {
      keys[to] = keys[from];
    }

    @Override
    void forget(int number) {}

    @Override
    public void copyTo(Object array) {
      for (int i = 0; i < size(); i++) {
        if (array instanceof int[] ints) {
          ints[i] = (int) keys[i];
        } else {
          ((long[]) array)[i] = keys[i];
        }
      }
    }
  }

  /** Keys of {@code byte[][]}. */
  static final class OfStrings extends KeyIndex {
    private static final byte[] NOTHING = {};

    private byte[][] keys = new byte[FIRST_CAPACITY][];
    private int[] hashes = new int[FIRST_CAPACITY];

    @Override
    int hash(int number) {
      return hashes[number];
    }

    @Override
    int hash(Object array, int at) {
      return Arrays.hashCode(((byte[][]) array)[at]);
    }

    @Override
    boolean isKey(int number, Object array, int at) {
      return Arrays.equals(keys[number], ((byte[][]) array)[at]);
    }

    @Override
    void store(int number, Object array, int at) {
      if (number == keys.length) {
        keys = Arrays.copyOf(keys, 2 * number);
        hashes = Arrays.copyOf(hashes, 2 * number);
      }
      keys[number] = ((byte[][]) array)[at];
      hashes[number] = Arrays.hashCode(keys[number]);
    }

    @Override
    void move(int from, int to) {
      keys[to] = keys[from];
      hashes[to] = hashes[from];
    }

    @Override
    void forget(int number) {
      keys[number] = NOTHING;
    }

    @Override
    public void copyTo(Object array) {
      System.arraycopy(keys, 0, (byte[][]) array, 0, size());
    }
  }
}

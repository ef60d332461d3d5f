package io.headrace.kernels.sparse;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Sorts the values of a sparse tensor by their indices.
 *
 * <p>An index and the position of its value are packed into the bits of a long, as many of each
 * axis as its largest difference has, and the longs are sorted. Indices that need more bits are
 * compared axis by axis.
 */
final class IndexSort {
  private static final int KEY_BITS = 63;

  private final SparseTensor input;
  private final int[] axes;
  private final long[] least;
  private final int[] bits;

  private IndexSort(SparseTensor input, int[] axes) {
    this.input = input;
    this.axes = axes;
    this.least = new long[axes.length];
    this.bits = new int[axes.length];
    for (int a = 0; a < axes.length; a++) {
      measure(a);
    }
  }

  /**
   * The permutation that sorts the values of {@code input} by their indices along {@code axes}, the
   * first of them first. Stable.
   */
  static int[] permutation(SparseTensor input, int[] axes) {
    IndexSort sort = new IndexSort(input, axes);
    int positionBits = bitsOf(Math.max(0, input.count() - 1));
    return Arrays.stream(sort.bits).sum() + positionBits <= KEY_BITS
        ? sort.byKeys(positionBits)
        : sort.byComparison();
  }

  private void measure(int a) {
    long smallest = Long.MAX_VALUE;
    long largest = Long.MIN_VALUE;
    for (int i = 0; i < input.count(); i++) {
      long index = input.index(i, axes[a]);
      smallest = Math.min(smallest, index);
      largest = Math.max(largest, index);
    }
    least[a] = smallest;
    bits[a] = input.count() == 0 ? 0 : bitsOf(largest - smallest);
  }

  /** The bits of {@code value}, 64 if it is negative: a difference that overflowed. */
  private static int bitsOf(long value) {
    return Long.SIZE - Long.numberOfLeadingZeros(value);
  }

  private int[] byKeys(int positionBits) {
    long[] keys = new long[input.count()];
    boolean sorted = true;
    for (int i = 0; i < keys.length; i++) {
      long key = 0;
      for (int a = 0; a < axes.length; a++) {
        key = key << bits[a] | input.index(i, axes[a]) - least[a];
      }
      keys[i] = key << positionBits | i;
      sorted &= i == 0 || keys[i - 1] < keys[i];
    }
    if (!sorted) {
      Arrays.sort(keys);
    }
    long mask = (1L << positionBits) - 1;
    int[] permutation = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      permutation[i] = (int) (keys[i] & mask);
    }
    return permutation;
  }

  private int[] byComparison() {
    Integer[] positions = new Integer[input.count()];
    Arrays.setAll(positions, i -> i);
    Comparator<Integer> byIndex = this::compare;
    Arrays.sort(positions, byIndex);
    return Arrays.stream(positions).mapToInt(Integer::intValue).toArray();
  }

  private int compare(int i, int j) {
    for (int axis : axes) {
      int order = Long.compare(input.index(i, axis), input.index(j, axis));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}

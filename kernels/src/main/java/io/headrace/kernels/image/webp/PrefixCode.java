package io.headrace.kernels.image.webp;

/**
 * A canonical prefix code of at most 15 bits, as a table of its first 8 bits and, behind those that
 * longer codes share, tables of the others. Immutable.
 */
final class PrefixCode {
  private static final int MAX_LENGTH = 15;
  private static final int ROOT_BITS = 8;

  /**
   * Entries of symbol and length; the complement of a table's start and bits, where codes are
   * longer than the root's bits.
   */
  private final int[] table;

  private final int rootBits;

  private PrefixCode(int[] table, int rootBits) {
    this.table = table;
    this.rootBits = rootBits;
  }

  /**
   * The code in which symbol i, below {@code count}, has {@code lengths[i]} bits, and no code if
   * that is 0. Fails unless every sequence of bits begins with a code. A single symbol takes no
   * bits.
   */
  static PrefixCode of(int[] lengths, int count) throws WebpException {
    int[] counts = new int[MAX_LENGTH + 1];
    int last = -1;
    for (int symbol = 0; symbol < count; symbol++) {
      if (lengths[symbol] > 0) {
        counts[lengths[symbol]]++;
        last = symbol;
      }
    }
    int longest = 0;
    int codes = 0;
    int[] next = new int[MAX_LENGTH + 2];
    int space = 0;
    for (int length = 1; length <= MAX_LENGTH; length++) {
      next[length + 1] = (next[length] + counts[length]) << 1;
      space += counts[length] << (MAX_LENGTH - length);
      codes += counts[length];
      longest = counts[length] > 0 ? length : longest;
    }
    if (codes == 1) {
      return new PrefixCode(new int[] {last << 4}, 0);
    }
    if (space != 1 << MAX_LENGTH) {
      throw new WebpException("a prefix code is not complete");
    }
    return filled(lengths, count, next, longest);
  }

  private static PrefixCode filled(int[] lengths, int count, int[] next, int longest) {
    int rootBits = Math.min(ROOT_BITS, longest);
    int rootMask = (1 << rootBits) - 1;
    int[] reversed = new int[count];
    int[] subBits = new int[1 << rootBits];
    for (int symbol = 0; symbol < count; symbol++) {
      int length = lengths[symbol];
      if (length > 0) {
        reversed[symbol] = Integer.reverse(next[length]++) >>> (Integer.SIZE - length);
        int root = reversed[symbol] & rootMask;
        subBits[root] = Math.max(subBits[root], length - rootBits);
      }
    }
    int size = 1 << rootBits;
    int[] starts = new int[1 << rootBits];
    for (int root = 0; root < starts.length; root++) {
      starts[root] = size;
      size += subBits[root] > 0 ? 1 << subBits[root] : 0;
    }
    int[] table = new int[size];
    for (int root = 0; root < starts.length; root++) {
      table[root] = ~(starts[root] << 4 | subBits[root]);
    }
    for (int symbol = 0; symbol < count; symbol++) {
      int length = lengths[symbol];
      int entry = symbol << 4 | length;
      if (length > rootBits) {
        int root = reversed[symbol] & rootMask;
        int step = 1 << (length - rootBits);
        for (int i = reversed[symbol] >>> rootBits; i < 1 << subBits[root]; i += step) {
          table[starts[root] + i] = entry;
        }
      } else if (length > 0) {
        for (int i = reversed[symbol]; i <= rootMask; i += 1 << length) {
          table[i] = entry;
        }
      }
    }
    return new PrefixCode(table, rootBits);
  }

  /** The entry of the code with which {@code bits} begins. */
  int entry(int bits) {
    int entry = table[bits & (1 << rootBits) - 1];
    if (entry >= 0) {
      return entry;
    }
    int sub = ~entry;
    return table[(sub >>> 4) + (bits >>> rootBits & (1 << (sub & 15)) - 1)];
  }

  static int symbol(int entry) {
    return entry >>> 4;
  }

  static int length(int entry) {
    return entry & 15;
  }

  /** The number of entries, of four bytes each. */
  int size() {
    return table.length;
  }
}

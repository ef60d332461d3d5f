package io.headrace.kernels.random;

/**
 * A pseudorandom permutation of the numbers from 0 to {@code maxIndex}, computed number by number:
 * a Simon cipher of just enough bits, repeated until its result is in range (cycle walking). The
 * same numbers as TensorFlow's random_index_shuffle. Immutable.
 *
 * @see <a href="https://eprint.iacr.org/2013/404">The Simon and Speck families of block ciphers</a>
 */
public final class IndexShuffle {
  /** The rounds of a global shuffle. */
  public static final int GLOBAL_ROUNDS = 8;

  private static final int KEYS = 3;
  private static final int MIN_BLOCK_BITS = 16;
  private static final int MAX_BLOCK_BITS = 64;
  private static final long ROUND_CONSTANT = 0xfffffffcL;
  private static final long Z_SEQUENCE = 0x7369f885192c0ef5L;

  private final long maxIndex;
  private final int wordBits;
  private final long wordMask;
  private final long[] roundKeys;

  /**
   * The permutation for a key of three 32-bit words.
   *
   * @param rounds the rounds of the cipher: even, and at least 4
   * @param maxIndex the greatest number, unsigned
   */
  public IndexShuffle(int key1, int key2, int key3, int rounds, long maxIndex) {
    if (rounds < KEYS + 1 || rounds % 2 != 0) {
      throw new IllegalArgumentException("rounds must be even and at least 4: " + rounds);
    }
    this.maxIndex = maxIndex;
    this.wordBits = blockBits(maxIndex) / 2;
    this.wordMask = (1L << wordBits) - 1;
    this.roundKeys = new long[rounds];
    int[] words = {key1, key2, key3};
    for (int i = 0; i < KEYS; i++) {
      roundKeys[i] = Integer.toUnsignedLong(words[i]) & wordMask;
    }
    long z = Z_SEQUENCE & wordMask;
    for (int i = KEYS; i < rounds; i++, z >>>= 1) {
      long last = roundKeys[i - 1];
      roundKeys[i] =
          (ROUND_CONSTANT & wordMask)
              ^ (z & 1)
              ^ roundKeys[i - KEYS]
              ^ rotatedRight(last, 3)
              ^ rotatedRight(last, 4);
    }
  }

  /** The even number of bits that hold {@code maxIndex}, as TensorFlow computes it. */
  private static int blockBits(long maxIndex) {
    double unsigned = maxIndex >= 0 ? maxIndex : maxIndex + 0x1p64;
    int bits = 0;
    while (bits < MAX_BLOCK_BITS && Math.scalb(1.0, bits) < unsigned) {
      bits++;
    }
    return Math.max(bits + bits % 2, MIN_BLOCK_BITS);
  }

  /** The number at the place {@code index}, which is at most {@code maxIndex}. */
  public long at(long index) {
    if (maxIndex == 0) {
      return 0;
    }
    long result = index;
    do {
      result = encrypted(result);
    } while (Long.compareUnsigned(result, maxIndex) > 0);
    return result;
  }

  private long encrypted(long block) {
    long left = (block >>> wordBits) & wordMask;
    long right = block & wordMask;
    for (int i = 0; i < roundKeys.length; i += 2) {
      left ^= mixed(right) ^ roundKeys[i];
      right ^= mixed(left) ^ roundKeys[i + 1];
    }
    return left << wordBits | right;
  }

  private long mixed(long word) {
    return (rotatedLeft(word, 1) & rotatedLeft(word, 8)) ^ rotatedLeft(word, 2);
  }

  private long rotatedLeft(long word, int bits) {
    return (word << bits | word >>> (wordBits - bits)) & wordMask;
  }

  private long rotatedRight(long word, int bits) {
    return (word >>> bits | word << (wordBits - bits)) & wordMask;
  }
}

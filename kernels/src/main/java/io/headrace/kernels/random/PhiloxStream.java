package io.headrace.kernels.random;

/**
 * The samples of a {@link Philox} one at a time, in the order of TensorFlow's {@code
 * SingleSampleAdapter}. Shuffles and seed generators draw from it. The stream owns its generator.
 * Not thread-safe.
 */
public final class PhiloxStream {
  private final Philox generator;
  private final int[] block = new int[Philox.BLOCK];
  private int used = Philox.BLOCK;

  /** A stream that begins with the next block of {@code generator}. */
  public PhiloxStream(Philox generator) {
    this.generator = generator;
  }

  /** The next sample: 32 random bits. */
  public int next() {
    if (used == Philox.BLOCK) {
      generator.next(block);
      used = 0;
    }
    return block[used++];
  }

  /** The next sample as an unsigned number in [0, 2^32). */
  public long nextUnsigned() {
    return Integer.toUnsignedLong(next());
  }

  /** The next sample as a float in [0, 1) with 23 random bits. */
  public float nextFloat() {
    return Distributions.unitFloat(next());
  }

  /** Two samples as a double in [0, 1) with 52 random bits. */
  public double nextDouble() {
    int high = next();
    return Distributions.unitDouble(high, next());
  }

  /** Two samples as 64 random bits. */
  public long nextLong() {
    long low = nextUnsigned();
    return low | ((long) next() << 32);
  }

  /**
   * An unbiased number in [0, {@code bound}), with {@code bound} positive: 64 random bits, redrawn
   * where the modulo would introduce a bias.
   */
  public long nextBelow(long bound) {
    if ((bound & (bound - 1)) == 0) {
      return nextLong() & (bound - 1);
    }
    long refused = Long.remainderUnsigned(-1, bound) + 1;
    long bits = nextLong();
    while (Long.compareUnsigned(bits, refused) < 0) {
      bits = nextLong();
    }
    return Long.remainderUnsigned(bits, bound);
  }

  /**
   * An unbiased number in [0, {@code bound}), with {@code bound} positive: one sample, redrawn
   * where the modulo would introduce a bias.
   */
  public int nextUnbiased(int bound) {
    if ((bound & (bound - 1)) == 0) {
      return next() & (bound - 1);
    }
    int refused = Integer.remainderUnsigned(-1, bound) + 1;
    int bits = next();
    while (Integer.compareUnsigned(bits, refused) < 0) {
      bits = next();
    }
    return Integer.remainderUnsigned(bits, bound);
  }

  /**
   * The next sample modulo {@code bound}, a positive number. TensorFlow draws an index this way,
   * with a slight modulo bias.
   */
  public int nextBelow(int bound) {
    return Integer.remainderUnsigned(next(), bound);
  }

  /** Skips {@code samples} samples, at least 0, in constant time. */
  public void skip(long samples) {
    int left = Philox.BLOCK - used;
    if (samples <= left) {
      used += (int) samples;
      return;
    }
    generator.skip((samples - left) / Philox.BLOCK);
    used = Philox.BLOCK;
    int rest = (int) ((samples - left) % Philox.BLOCK);
    if (rest > 0) {
      generator.next(block);
      used = rest;
    }
  }
}

package io.headrace.kernels.random;

/**
 * The samples of a {@link Philox} one at a time, in the order of TensorFlow's {@code
 * SingleSampleAdapter}: what shuffles and seed generators draw from. It takes its generator over.
 * Not thread-safe.
 */
public final class PhiloxStream {
  private final Philox generator;
  private final int[] block = new int[Philox.BLOCK];
  private int used = Philox.BLOCK;

  /** A stream that begins with a fresh block of {@code generator}. */
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

  /** The next sample as an unsigned number, from 0 up to 2^32 - 1. */
  public long nextUnsigned() {
    return Integer.toUnsignedLong(next());
  }

  /** Two samples as a number from 0 up to 1 of 52 bits. */
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
   * A number from 0 up to {@code bound}, a positive number, of which none is likelier than another:
   * 64 random bits, drawn anew where they would favour some.
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
   * The next sample modulo {@code bound}, a positive number: how TensorFlow draws an index, with
   * the slight bias of it.
   */
  public int nextBelow(int bound) {
    return Integer.remainderUnsigned(next(), bound);
  }

  /** Passes over {@code samples} samples, at least 0; costs the same however many they are. */
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

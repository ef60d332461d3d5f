package io.headrace.runtime.kernel;

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

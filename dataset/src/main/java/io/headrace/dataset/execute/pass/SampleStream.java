package io.headrace.dataset.execute.pass;

import io.headrace.kernels.random.Philox;

/** A Philox generator read one sample at a time. Not thread-safe. */
public final class SampleStream {
  private final Philox philox;
  private final int[] block = new int[Philox.BLOCK];
  private int used = Philox.BLOCK;

  public SampleStream(Seeds seeds) {
    this.philox = Philox.ofSeeds(seeds.seed(), seeds.seed2());
  }

  /** The next 32-bit sample, as a number from 0 to 2^32 - 1. */
  public long next() {
    if (used == Philox.BLOCK) {
      philox.next(block);
      used = 0;
    }
    return Integer.toUnsignedLong(block[used++]);
  }
}

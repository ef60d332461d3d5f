package io.headrace.kernels.random;

/**
 * The generator of a stateful random op: a {@link Philox} from which concurrent calls reserve
 * disjoint ranges of blocks. Thread-safe.
 */
public final class SharedPhilox {
  private final Philox generator;

  /** Shares {@code generator}, which it owns from now on. */
  public SharedPhilox(Philox generator) {
    this.generator = generator;
  }

  /** Reserves {@code blocks} blocks, and returns a generator at the first of them. */
  public synchronized Philox reserve(long blocks) {
    Philox reserved = generator.copy();
    generator.skip(blocks);
    return reserved;
  }

  /** Reserves the blocks of {@code samples} 32-bit samples, like {@link #reserve}. */
  public Philox reserveSamples(long samples) {
    return reserve((samples + Philox.BLOCK - 1) / Philox.BLOCK);
  }
}

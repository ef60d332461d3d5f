package io.headrace.kernels.random;

/**
 * A {@link Philox} that concurrent calls share, each taking a run of blocks that no other gets: the
 * generator of a stateful random op. Thread-safe.
 */
public final class SharedPhilox {
  private final Philox generator;

  /** Takes {@code generator} over. */
  public SharedPhilox(Philox generator) {
    this.generator = generator;
  }

  /** A generator at the next block; the {@code blocks} from there on are the caller's. */
  public synchronized Philox reserve(long blocks) {
    Philox reserved = generator.copy();
    generator.skip(blocks);
    return reserved;
  }

  /** A generator with blocks for {@code samples} 32-bit samples. */
  public Philox reserveSamples(long samples) {
    return reserve((samples + Philox.BLOCK - 1) / Philox.BLOCK);
  }
}

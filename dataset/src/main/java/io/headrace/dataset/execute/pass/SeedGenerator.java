package io.headrace.dataset.execute.pass;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Gives each pass over a random dataset its seeds: always the same, or, where each pass is to have
 * an order of its own, the next of a sequence that the seeds begin. Thread-safe.
 */
public final class SeedGenerator {
  private final Seeds seeds;
  private final boolean changes;
  private @Nullable Seeds chosen;
  private @Nullable SampleStream stream;

  /** A generator that begins with {@code seeds}, and changes them for each pass or not. */
  public SeedGenerator(Seeds seeds, boolean changes) {
    this.seeds = seeds;
    this.changes = changes;
  }

  /** The seeds of the next pass. What nobody chose is drawn from {@code random}, once. */
  public synchronized Seeds next(RandomGenerator random) {
    if (chosen == null) {
      chosen = seeds.orFrom(random);
      stream = new SampleStream(chosen);
    }
    SampleStream samples = stream;
    return changes && samples != null ? new Seeds(samples.next(), samples.next()) : chosen;
  }
}

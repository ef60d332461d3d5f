package io.headrace.dataset.execute.pass;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The seeds of each pass over a random dataset: always the same, or, with reshuffling, the next of
 * the sequence that starts with the given seeds. Thread-safe.
 */
public final class SeedGenerator {
  private final Seeds seeds;
  private final boolean changes;
  private @Nullable Seeds chosen;
  private @Nullable SampleStream stream;

  /**
   * A generator that starts with {@code seeds} and, if {@code changes}, varies them from pass to
   * pass.
   */
  public SeedGenerator(Seeds seeds, boolean changes) {
    this.seeds = seeds;
    this.changes = changes;
  }

  /** The seeds of the next pass. Unset seeds are drawn from {@code random}, once. */
  public synchronized Seeds next(RandomGenerator random) {
    if (chosen == null) {
      chosen = seeds.orFrom(random);
      stream = new SampleStream(chosen);
    }
    SampleStream samples = stream;
    return changes && samples != null ? new Seeds(samples.next(), samples.next()) : chosen;
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * The results of a stateless function. It runs on the calling thread until rows prove slow; then
 * several tasks run it, in order. (TensorFlow makes such maps parallel, too.)
 */
final class AdaptiveMapIterator implements ChunkIterator {
  /** The number of rows whose average time decides. */
  private static final int TRIAL_ROWS = 8;

  /** The time from which a row is worth handing to another thread. */
  private static final long SLOW_ROW_NANOS = 200_000;

  private final MapDataset dataset;
  private final IteratorContext context;
  private volatile ChunkIterator current;
  private volatile boolean closed;
  private @Nullable MapIterator trial;
  private long rows;
  private long nanos;

  AdaptiveMapIterator(MapDataset dataset, IteratorContext context) {
    this.dataset = dataset;
    this.context = context;
    this.trial = new MapIterator(dataset, context);
    this.current = trial;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    MapIterator inline = trial;
    if (inline == null) {
      return current.next(maxRows);
    }
    if (isSlow() && inline.isBetweenRows() && context.parallelism() > 1) {
      trial = null;
      current =
          ParallelMapIterator.takeOver(dataset, inline.input(), inline.takeDropped(), context);
      if (closed) {
        current.close();
      }
      return current.next(maxRows);
    }
    return measured(inline, maxRows);
  }

  private boolean isSlow() {
    return rows >= TRIAL_ROWS && nanos > rows * SLOW_ROW_NANOS;
  }

  private @Nullable Chunk measured(MapIterator inline, int maxRows) {
    Chunk results = inline.next(maxRows);
    rows += results == null ? 0 : results.rows();
    nanos += inline.lastCallNanos();
    return results;
  }

  @Override
  public long passOver(long rows) {
    return current.passOver(rows);
  }

  @Override
  public Origins rest() {
    return current.rest();
  }

  @Override
  public void close() {
    closed = true;
    current.close();
  }
}

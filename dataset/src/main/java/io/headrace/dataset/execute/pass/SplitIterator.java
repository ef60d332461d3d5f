package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass over the rows of a source's splits. */
public final class SplitIterator implements ChunkIterator {
  private final SplitProvider splits;
  private final Rows rows;
  private volatile boolean closed;

  /** Makes the rows of splits. */
  @FunctionalInterface
  public interface Rows {
    /** One row for each split of {@code run}, in order. */
    Chunk of(SplitRun run);
  }

  public SplitIterator(SplitProvider splits, Rows rows) {
    this.splits = splits;
    this.rows = rows;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    SplitRun run = closed ? null : splits.next(maxRows);
    if (run == null) {
      return null;
    }
    Chunk chunk = rows.of(run);
    return splits.source() < 0 ? chunk : chunk.withOrigins(origins(run));
  }

  private Origins origins(SplitRun run) {
    return new Origins.Builder()
        .addRecords((int) run.count(), splits.source(), Origins.SPLITS, run.number())
        .build();
  }

  @Override
  public void close() {
    closed = true;
  }
}

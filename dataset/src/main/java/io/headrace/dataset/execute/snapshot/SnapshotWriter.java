package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes rows through and writes each to its shard; at the end of the input the run is whole. After
 * a failure to write, which belongs to the first row that was not written, the pass ends: the run
 * lacks that row. A row that is an error of the input or of the shard function is in no run, as in
 * TensorFlow.
 */
final class SnapshotWriter extends UnaryIterator {
  private final SnapshotRun run;
  private final Sharding sharding;
  private final Completion completion;
  private long elements;
  private boolean isDone;

  /** Makes a run whose chunks are on disk the one to read. */
  interface Completion {
    void complete(SnapshotRun run, long elements);
  }

  private SnapshotWriter(
      ChunkIterator input, SnapshotRun run, Sharding sharding, Completion completion) {
    super(input);
    this.run = run;
    this.sharding = sharding;
    this.completion = completion;
  }

  /** Starts the pass {@code input}, whose rows {@code run} takes; it is closed with the pass. */
  static SnapshotWriter open(
      Supplier<ChunkIterator> input, SnapshotRun run, Sharding sharding, Completion completion) {
    try {
      return new SnapshotWriter(input.get(), run, sharding, completion);
    } catch (RuntimeException e) {
      run.close();
      throw e;
    }
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    if (isDone) {
      return null;
    }
    if (sharding.needsRows()) {
      Chunk rows = input.next(sharding.isRowByRow() ? 1 : maxRows);
      if (rows == null) {
        finish();
        return null;
      }
      sharding.accept(rows);
    }
    Chunk rows = sharding.next(maxRows);
    try {
      sharding.forEachShard(run::write);
    } catch (StatusException e) {
      isDone = true;
      run.close();
      throw e;
    }
    elements += rows.rows();
    return rows;
  }

  private void finish() {
    isDone = true;
    run.finish(() -> completion.complete(run, elements));
  }

  @Override
  public Origins rest() {
    dropped.add(sharding.takeDropped());
    return super.rest();
  }

  @Override
  public void close() {
    super.close();
    run.close();
  }
}

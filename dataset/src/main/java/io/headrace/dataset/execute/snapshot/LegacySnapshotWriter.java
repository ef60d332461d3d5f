package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes rows through and writes them. As in TensorFlow, it is a row ahead of what was asked for,
 * so that the run is whole once its last row is returned, whether or not the pass is then asked for
 * its end. After a failure to write, the pass ends, and the run is not there. A row that is an
 * error of the input is not in the run.
 */
final class LegacySnapshotWriter extends UnaryIterator {
  private final LegacySnapshotRun run;
  private final Runnable naming;

  /** The row that is ahead. */
  private @Nullable Chunk ahead;

  /** The failure of the row that is ahead. */
  private @Nullable StatusException failure;

  private boolean isDone;

  /**
   * Takes over {@code input} and {@code run}.
   *
   * @param naming makes a run whose files are on disk the one to read
   */
  LegacySnapshotWriter(ChunkIterator input, LegacySnapshotRun run, Runnable naming) {
    super(input);
    this.run = run;
    this.naming = naming;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    StatusException failed = failure;
    if (failed != null) {
      failure = null;
      throw failed;
    }
    Chunk rows = take(maxRows);
    if (rows != null) {
      lookAhead();
    }
    return rows;
  }

  private @Nullable Chunk take(int maxRows) {
    Chunk first = ahead;
    ahead = null;
    if (isDone || (first != null && maxRows == 1)) {
      return first;
    }
    if (first == null) {
      Chunk rows = input.next(maxRows);
      if (rows == null) {
        finish();
      } else {
        write(rows);
      }
      return rows;
    }
    try {
      Chunk more = input.next(maxRows - 1);
      if (more == null) {
        finish();
        return first;
      }
      write(more);
      return Chunk.concat(List.of(first, more));
    } catch (StatusException e) {
      failure = e;
      return first;
    }
  }

  private void lookAhead() {
    if (isDone || failure != null) {
      return;
    }
    try {
      ahead = input.next(1);
      if (ahead == null) {
        finish();
      } else {
        write(ahead);
      }
    } catch (StatusException e) {
      ahead = null;
      failure = e;
    }
  }

  private void write(Chunk rows) {
    try {
      run.write(rows);
    } catch (StatusException e) {
      isDone = true;
      run.close();
      throw e;
    }
  }

  private void finish() {
    isDone = true;
    run.finish(naming);
  }

  @Override
  public void close() {
    super.close();
    run.close();
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * A pass over the dataset that a flat map made of one split. Its rows are the split's records,
 * numbered from 0; records already received are left out.
 */
final class SplitRecordIterator implements ChunkIterator {
  private static final int MAX_DROPPED_ROWS = 1024;

  private final ChunkIterator rows;
  private final SplitRow split;

  /** The ranges of records to leave out: the first record of each, and the one behind its last. */
  private final long[] leftOut;

  private final DroppedOrigins dropped = new DroppedOrigins();
  private int nextRange;
  private long record;
  private boolean ended;
  private volatile boolean closed;

  SplitRecordIterator(ChunkIterator rows, SplitRow split, long[] leftOut) {
    this.rows = rows;
    this.split = split;
    this.leftOut = leftOut;
    dropped.add(split.before());
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    while (nextRange < leftOut.length && record >= leftOut[nextRange]) {
      long left = leftOut[nextRange + 1] - record;
      if (left == 0) {
        nextRange += 2;
      } else if (read((int) Math.min(left, MAX_DROPPED_ROWS)) == null) {
        return null;
      }
    }
    int most =
        nextRange < leftOut.length ? (int) Math.min(maxRows, leftOut[nextRange] - record) : maxRows;
    Chunk chunk = read(most);
    return chunk == null ? null : dropped.joinTo(chunk);
  }

  private @Nullable Chunk read(int maxRows) {
    Chunk chunk = rows.next(maxRows);
    if (chunk == null) {
      // A closed pass also returns null; only a real end determines the number of records.
      if (!ended && !closed) {
        ended = true;
        dropped.addGroupEnd(split.source(), split.split(), record);
      }
      return null;
    }
    Origins origins =
        new Origins.Builder()
            .addRecords(chunk.rows(), split.source(), split.split(), record)
            .build();
    record += chunk.rows();
    return chunk.withOrigins(origins);
  }

  @Override
  public Origins rest() {
    return dropped.take();
  }

  @Override
  public void close() {
    closed = true;
    rows.close();
  }
}

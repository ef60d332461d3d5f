package io.headrace.rpc;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;

/** What lies on a stream, in order: rows, what stands in the place of rows, and at last the end. */
public sealed interface StreamItem {
  /** Rows. */
  record Rows(Chunk chunk) implements StreamItem {
    @Override
    public int rows() {
      return chunk.rows();
    }

    @Override
    public long position() {
      return chunk.position();
    }
  }

  /** An error that stands where the row at {@code position} would; rows follow. */
  record RowFailure(long position, StatusException failure) implements StreamItem {
    @Override
    public int rows() {
      return 1;
    }
  }

  /** Records that no row was made of; it has a position, and counts as a row. Rows may follow. */
  record Dropped(long position, Origins origins) implements StreamItem {
    @Override
    public int rows() {
      return 1;
    }
  }

  /** The end: nothing follows. */
  record End() implements StreamItem {
    @Override
    public int rows() {
      return 0;
    }

    @Override
    public long position() {
      return 0;
    }
  }

  /** How many rows it is, or stands for. */
  int rows();

  /** The position of its first row in the task's sequence; 0 for the end. */
  long position();
}

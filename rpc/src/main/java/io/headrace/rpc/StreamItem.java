package io.headrace.rpc;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;

/** An item of a stream's sequence: rows, a substitute for rows, or the end. */
public sealed interface StreamItem {
  /** A chunk of rows. */
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

  /** An error in place of the row at {@code position}; rows may follow. */
  record RowFailure(long position, StatusException failure) implements StreamItem {
    @Override
    public int rows() {
      return 1;
    }
  }

  /** Records that yielded no row. The item has a position and counts as a row; rows may follow. */
  record Dropped(long position, Origins origins) implements StreamItem {
    @Override
    public int rows() {
      return 1;
    }
  }

  /** The end of the sequence. */
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

  /** The number of rows that the item has or replaces. */
  int rows();

  /** The position of the first row in the task's sequence; 0 for the end. */
  long position();
}

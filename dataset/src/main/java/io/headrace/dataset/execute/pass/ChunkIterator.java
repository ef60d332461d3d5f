package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset's elements, in chunks.
 *
 * <p>The result is as if elements came one at a time: rows keep their order, and the iterator
 * produces nothing that a caller taking single elements would not have caused, up to the rows that
 * it asks for. So an iterator never asks its input for more rows than it must consume for its own
 * result. Used by one thread at a time; {@link #close} may be called from another to end a blocked
 * call.
 */
public interface ChunkIterator extends AutoCloseable {
  /**
   * The next rows: at least one and at most {@code maxRows}, fewer if the rest would have to be
   * waited for; null at the end, and from then on.
   *
   * <p>An error belongs to its row: the rows before it are returned first, the next call throws its
   * StatusException, and the call after that continues behind it.
   *
   * @param maxRows at least 1
   */
  @Nullable Chunk next(int maxRows);

  /**
   * The origins of records dropped behind the last row, in a pass whose rows have origins: entries
   * without rows. Called once, after {@link #next} has returned null and before {@link #close}; no
   * other call reports them.
   */
  default Origins rest() {
    return Origins.NONE;
  }

  /**
   * Skips the next {@code rows} rows; sources do so without producing them. Returns the number of
   * rows skipped, fewer only at the end. Not for passes whose rows have origins: the skipped rows'
   * origins would be lost.
   */
  default long skip(long rows) {
    long left = rows;
    while (left > 0) {
      Chunk chunk = next((int) Math.min(left, 1024));
      if (chunk == null) {
        break;
      }
      left -= chunk.rows();
    }
    return rows - left;
  }

  /**
   * Starts behind the first {@code rows} rows, or at the end if there are fewer; returns the number
   * of rows passed over. An earlier, equal pass has shown that none of them is an error, so they
   * are computed only where the positions of later rows depend on them. Called once, before {@link
   * #next}. Not for passes whose rows have origins.
   *
   * @throws StatusException if one of the rows is an error nevertheless; the pass is then unusable
   */
  default long passOver(long rows) {
    return skip(rows);
  }

  /**
   * Ends the pass and releases its resources; a blocked {@link #next} throws CANCELLED. Idempotent.
   */
  @Override
  void close();
}

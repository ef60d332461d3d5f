package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset's elements, in chunks.
 *
 * <p>What comes out is as if elements came one at a time: rows keep their order, and nothing is
 * produced that a caller taking single elements would not have caused to be produced, up to the
 * rows that it asks for. So an iterator never asks its input for more rows than it must consume for
 * what it owes. Used by one thread at a time; {@link #close} may be called from another to end a
 * call that waits.
 */
public interface ChunkIterator extends AutoCloseable {
  /**
   * The next rows: at least one and at most {@code maxRows}, fewer than asked for where more would
   * have to be waited for; null at the end, and from then on.
   *
   * <p>An error belongs to its row: the rows before it are returned first, the call that would
   * return it throws StatusException instead, and the call after that goes on behind it.
   *
   * @param maxRows at least 1
   */
  @Nullable Chunk next(int maxRows);

  /**
   * What was dropped behind the last row, in a pass whose rows have origins: entries without rows.
   * Asked once, when {@link #next} has returned null and before {@link #close}; what it tells of is
   * told by nothing else.
   */
  default Origins rest() {
    return Origins.NONE;
  }

  /**
   * Passes over the next {@code rows} rows, sources without producing them; returns how many there
   * were, fewer only at the end. Not for passes whose rows have origins: those of what is passed
   * over would be lost.
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
   * Begins behind the first {@code rows} rows, or all if there are fewer; returns how many there
   * were. None of them is an error: that is known from an earlier pass that gave the same. So they
   * are made only where nothing else tells where the others are. Called once, before {@link #next}.
   * Not for passes whose rows have origins.
   *
   * @throws StatusException if one of them is an error all the same; then the pass is of no use
   */
  default long passOver(long rows) {
    return skip(rows);
  }

  /**
   * Ends the pass and frees what it holds; a waiting {@link #next} throws CANCELLED. Idempotent.
   */
  @Override
  void close();
}

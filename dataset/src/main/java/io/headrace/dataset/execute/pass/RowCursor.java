package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The rows of a chunk that are still to be used. Not thread-safe. */
public final class RowCursor {
  private @Nullable Chunk chunk;
  private int at;

  /** Goes on with {@code next}; all rows of the chunk before must be used. */
  public void refill(Chunk next) {
    chunk = next;
    at = 0;
  }

  /** Rows that are left. */
  public int left() {
    return chunk == null ? 0 : chunk.rows() - at;
  }

  /** The chunk whose rows are used. */
  public Chunk chunk() {
    if (chunk == null) {
      throw new IllegalStateException("no rows are left");
    }
    return chunk;
  }

  /** The number of the next row in {@link #chunk}. */
  public int at() {
    return at;
  }

  public boolean isEmpty() {
    return left() == 0;
  }

  /** The next {@code rows} rows, at most {@link #left}, without using them. */
  Chunk peek(int rows) {
    return chunk().slice(at, at + rows);
  }

  /** The next {@code rows} rows, at most {@link #left}, at least one. */
  public Chunk take(int rows) {
    Chunk taken = peek(rows);
    drop(rows);
    return taken;
  }

  /** Passes over {@code rows} rows, at most {@link #left}. */
  public void drop(int rows) {
    at += rows;
    if (left() <= 0) {
      clear();
    }
  }

  public void clear() {
    chunk = null;
    at = 0;
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The unconsumed rows of a chunk. Not thread-safe. */
public final class RowCursor {
  private @Nullable Chunk chunk;
  private int at;

  /** Continues with {@code next}; all rows of the previous chunk must be consumed. */
  public void refill(Chunk next) {
    chunk = next;
    at = 0;
  }

  /** The number of unconsumed rows. */
  public int left() {
    return chunk == null ? 0 : chunk.rows() - at;
  }

  /** The chunk being consumed. */
  public Chunk chunk() {
    if (chunk == null) {
      throw new IllegalStateException("no rows are left");
    }
    return chunk;
  }

  /** The index of the next row in {@link #chunk}. */
  public int at() {
    return at;
  }

  public boolean isEmpty() {
    return left() == 0;
  }

  /** The next {@code rows} rows, at most {@link #left}, without consuming them. */
  Chunk peek(int rows) {
    return chunk().slice(at, at + rows);
  }

  /** Consumes the next {@code rows} rows, at least one and at most {@link #left}. */
  public Chunk take(int rows) {
    Chunk taken = peek(rows);
    drop(rows);
    return taken;
  }

  /** Consumes and drops {@code rows} rows, at most {@link #left}. */
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

package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.EmptyIterator;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pass of which it is decided when the first row is asked for what it reads. If it cannot be
 * opened, it has that failure and no rows.
 */
final class LateIterator implements ChunkIterator {
  private final Supplier<ChunkIterator> opener;
  private volatile @Nullable ChunkIterator pass;
  private volatile boolean closed;

  /** A pass over the rows of what {@code opener} opens, once, at the first call of next. */
  LateIterator(Supplier<ChunkIterator> opener) {
    this.opener = opener;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    ChunkIterator current = pass;
    if (current == null) {
      pass = EmptyIterator.INSTANCE; // if it cannot be opened
      current = opener.get();
      pass = current;
      if (closed) {
        current.close();
      }
    }
    return current.next(maxRows);
  }

  @Override
  public Origins rest() {
    ChunkIterator current = pass;
    return current == null ? Origins.NONE : current.rest();
  }

  @Override
  public void close() {
    closed = true;
    ChunkIterator current = pass;
    if (current != null) {
      current.close();
    }
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass without rows. */
public enum EmptyIterator implements ChunkIterator {
  /** The singleton. */
  INSTANCE;

  @Override
  public @Nullable Chunk next(int maxRows) {
    return null;
  }

  @Override
  public void close() {}
}

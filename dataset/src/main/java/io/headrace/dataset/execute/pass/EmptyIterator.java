package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass that is at its end. */
public enum EmptyIterator implements ChunkIterator {
  /** The only one. */
  INSTANCE;

  @Override
  public @Nullable Chunk next(int maxRows) {
    return null;
  }

  @Override
  public void close() {}
}

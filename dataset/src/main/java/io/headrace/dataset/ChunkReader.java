package io.headrace.dataset;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset that gives whole chunks: the fastest way to read, for whoever can use
 * columns. Used by one thread at a time; {@link #close} may be called from another.
 */
public interface ChunkReader extends AutoCloseable {
  /**
   * The next elements, at least one, or null at the end. An error belongs to its element: those
   * before it come first, and the call after it goes on behind it.
   */
  @Nullable Chunk next();

  /** Ends the pass and frees what it holds. Idempotent. */
  @Override
  void close();
}

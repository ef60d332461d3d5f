package io.headrace.dataset.execute;

import org.jspecify.annotations.Nullable;

/** Begins the passes that an interleaving takes its rows from, one after the other. */
interface InnerPasses extends AutoCloseable {
  /** The next pass; null at the end. Throws the failure that stands in its place. */
  @Nullable ChunkIterator next();

  @Override
  void close();
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import org.jspecify.annotations.Nullable;

/** Begins the passes that an interleaving takes its rows from, one after the other. */
public interface InnerPasses extends AutoCloseable {
  /** The next pass; null at the end. Throws the failure that stands in its place. */
  @Nullable ChunkIterator next();

  /**
   * What was dropped behind the input row that the last pass was made of; asked when {@link #next}
   * has returned null.
   */
  Origins rest();

  @Override
  void close();
}

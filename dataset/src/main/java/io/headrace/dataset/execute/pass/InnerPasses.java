package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import org.jspecify.annotations.Nullable;

/** Starts the passes whose rows an interleave takes, one after the other. */
public interface InnerPasses extends AutoCloseable {
  /**
   * Starts the next pass; null at the end. Throws the failure of the input row if no pass can be
   * made of it.
   */
  @Nullable ChunkIterator next();

  /**
   * The origins dropped behind the last pass's input row; called after {@link #next} has returned
   * null.
   */
  Origins rest();

  @Override
  void close();
}

package io.headrace.worker;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;

/** The result of taking a single row from a {@link RowQueue}. */
sealed interface TakeResult {
  /** Row {@code index} of {@code chunk}, of about {@code bytes} bytes. */
  record Row(Chunk chunk, int index, long bytes) implements TakeResult {
    /** The row's position in the task's sequence. */
    long position() {
      return chunk.position() + index;
    }
  }

  /** An error in place of a row. */
  record Failure(StatusException failure) implements TakeResult {}

  /** The end of the task's rows. */
  record End() implements TakeResult {}
}

package io.headrace.worker;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;

/** What a reader that takes one row at a time finds. */
sealed interface Taken {
  /** Row {@code index} of {@code chunk}, which takes about {@code bytes}. */
  record Row(Chunk chunk, int index, long bytes) implements Taken {
    /** Where it is in the task's sequence. */
    long position() {
      return chunk.position() + index;
    }
  }

  /** An error in the place of a row. */
  record Failure(StatusException failure) implements Taken {}

  /** Nothing, and nothing will come. */
  record End() implements Taken {}
}

package io.headrace.rpc;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;

/** What a reader receives on a stream. */
sealed interface StreamMessage {
  /** The task is known; positions count the pass {@code incarnation}. */
  record Opened(long incarnation) implements StreamMessage {}

  /** Rows. */
  record Frame(Chunk chunk, boolean acknowledgePromptly, int wireBytes) implements StreamMessage {}

  /** An error in the place of a row. */
  record RowFailed(long position, StatusException failure, int wireBytes)
      implements StreamMessage {}

  /** Records that no row was made of. */
  record Dropped(long position, Origins origins, int wireBytes) implements StreamMessage {}

  /** A sign of life. */
  record Alive() implements StreamMessage {}

  /** No more rows. */
  record End() implements StreamMessage {}

  /** Something that can't be read, for the reason {@code failure}. */
  record Unreadable(StatusException failure) implements StreamMessage {}
}

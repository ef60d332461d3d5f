package io.headrace.rpc;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A decoded message from a worker on a stream. */
sealed interface StreamMessage {
  /** The stream is open; positions refer to the pass {@code incarnation}. */
  record Opened(long incarnation) implements StreamMessage {}

  /** A chunk of rows, and the mark of one of them, if its way is traced. */
  record Frame(Chunk chunk, boolean acknowledgePromptly, @Nullable TraceMark mark, int wireBytes)
      implements StreamMessage {}

  /** An error in place of a row. */
  record RowFailed(long position, StatusException failure, int wireBytes)
      implements StreamMessage {}

  /** Records that yielded no row. */
  record Dropped(long position, Origins origins, int wireBytes) implements StreamMessage {}

  /**
   * A heartbeat.
   *
   * @param errorsIgnored how many elements of the pass ignore_errors has left out, 0 if unknown
   * @param claimRows whether the reader is to claim the rows that have arrived
   */
  record Alive(long errorsIgnored, boolean claimRows) implements StreamMessage {}

  /** The end of the task's rows. */
  record End() implements StreamMessage {}

  /** A message that can't be decoded, because of {@code failure}. */
  record Unreadable(StatusException failure) implements StreamMessage {}
}

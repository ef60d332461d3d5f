package io.headrace.client;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamReader;
import org.jspecify.annotations.Nullable;

/** Where the rows of one task come from. Used by one thread at a time. */
interface TaskSource extends AutoCloseable {
  /**
   * The next item, or null if none has arrived. Throws StatusException if the source broke: a
   * retriable code where another one may be opened.
   */
  @Nullable StreamItem poll();

  /** Says that the next {@code rows} of the rows taken were consumed. */
  void consumed(int rows);

  @Override
  void close();

  /** The rows of a stream. */
  static TaskSource of(StreamReader stream) {
    return new TaskSource() {
      @Override
      public @Nullable StreamItem poll() {
        return stream.poll();
      }

      @Override
      public void consumed(int rows) {
        stream.consumed(rows);
      }

      @Override
      public void close() {
        stream.close();
      }
    };
  }
}

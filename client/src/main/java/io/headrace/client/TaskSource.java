package io.headrace.client;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the rows of one task come from. Used by one thread at a time. */
interface TaskSource extends AutoCloseable {
  /**
   * The next item, or null if none has arrived. Throws StatusException if the source broke: a
   * retriable code where another one may be opened.
   */
  @Nullable StreamItem poll();

  /**
   * Which pass over the task's dataset the positions of the rows count; 0 is none. Known once an
   * item was taken.
   */
  long incarnation();

  /** What had arrived and was not taken when the source broke; once. */
  List<StreamItem> unread();

  /** Says that the next {@code rows} of the rows taken were consumed. */
  void consumed(int rows);

  /** Breaks it, if rows may be under way: their reader may come back for them. */
  default void abandon() {}

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
      public long incarnation() {
        return stream.incarnation();
      }

      @Override
      public List<StreamItem> unread() {
        return stream.unread();
      }

      @Override
      public void consumed(int rows) {
        stream.consumed(rows);
      }

      @Override
      public void abandon() {
        stream.abandon();
      }

      @Override
      public void close() {
        stream.close();
      }
    };
  }
}

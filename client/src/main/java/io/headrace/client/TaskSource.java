package io.headrace.client;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source of the rows of one task: a stream, or unary calls. Not thread-safe. */
interface TaskSource extends AutoCloseable {
  /**
   * The next item, or null if none has arrived. Throws a StatusException if the source broke, with
   * a retriable code if another source may be opened.
   */
  @Nullable StreamItem poll();

  /**
   * The pass over the task's dataset to which positions refer; 0 if unknown. Known once an item was
   * taken.
   */
  long incarnation();

  /**
   * The items that had arrived and were not taken when the source broke; a second call returns
   * none.
   */
  List<StreamItem> unread();

  /**
   * How many elements of the pass failed and were left out by ignore_errors, as far as the worker
   * has told; 0 where it does not tell.
   */
  default long errorsIgnored() {
    return 0;
  }

  /** The pass to which {@link #errorsIgnored} refers; 0 while that is unknown. */
  default long errorsPass() {
    return incarnation();
  }

  /**
   * Whether the rows that have arrived keep another reader from the end of the task, and are to be
   * taken and acknowledged.
   */
  default boolean holdsUpOthers() {
    return false;
  }

  /** Tells the worker which rows have arrived, if it can't know that; must not block. */
  default void confirm() {}

  /** Acknowledges the next {@code rows} of the taken rows. */
  void consumed(int rows);

  /** Breaks the source if rows may be in flight, so that the worker holds them for this reader. */
  default void abandon() {}

  @Override
  void close();

  /** A source that reads a stream. */
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
      public long errorsIgnored() {
        return stream.errorsIgnored();
      }

      @Override
      public boolean holdsUpOthers() {
        return stream.claimIsAsked();
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

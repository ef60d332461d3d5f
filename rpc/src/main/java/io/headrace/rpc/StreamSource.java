package io.headrace.rpc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The producer behind one stream: a reader's view of a task. Its methods never block. {@link
 * #close} is the last call.
 */
public interface StreamSource {
  /** The pass over the task's dataset to which positions refer. */
  long incarnation();

  /**
   * The next item, or null if none is available; then the stream is woken when one may be. Not
   * called again after the end. A StatusException ends the stream with that status.
   */
  @Nullable StreamItem take();

  /** The mark of a traced row among those of {@code item}, which was taken last; mostly null. */
  default @Nullable TraceMark mark(StreamItem item) {
    return null;
  }

  /** The row of {@code mark} was handed to the transport. */
  default void sent(TraceMark mark) {}

  /** How many elements of the pass failed so far and were left out by ignore_errors. */
  default long errorsIgnored() {
    return 0;
  }

  /** Whether other readers read the task, too; the stream then takes at most one chunk ahead. */
  boolean isShared();

  /**
   * Whether another reader waits for the end of the task, and only rows of this stream that are not
   * acknowledged keep it from coming.
   */
  default boolean holdsUpOthers() {
    return false;
  }

  /** Acknowledges the next {@code rows} of the taken rows, in their order. */
  void acknowledge(long rows);

  /**
   * Closes the stream.
   *
   * @param unconsumed the items that were taken and not acknowledged, in their order
   * @param broken whether the stream broke, rather than the reader leaving it: the reader may have
   *     consumed some of these items
   */
  void close(List<StreamItem> unconsumed, boolean broken);
}

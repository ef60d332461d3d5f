package io.headrace.rpc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one stream is fed from: one reader's view of a task. Its methods never block. {@link #close}
 * is called once, and nothing after it.
 */
public interface StreamSource {
  /** Which pass over the task's dataset the positions of its rows count. */
  long incarnation();

  /**
   * The next item, or null if there is none now: then the stream is woken when there may be one.
   * After the end it is not called again. What it throws ends the stream with that status.
   */
  @Nullable StreamItem take();

  /** Whether others read the same task: then the stream takes no more than a chunk ahead. */
  boolean isShared();

  /** The next {@code rows} of the rows taken, in their order, were consumed. */
  void acknowledge(long rows);

  /**
   * The stream is over, and these, in their order, were taken and not acknowledged.
   *
   * @param broken whether the reader did not leave by itself, and may have consumed some of them
   */
  void close(List<StreamItem> unconsumed, boolean broken);
}

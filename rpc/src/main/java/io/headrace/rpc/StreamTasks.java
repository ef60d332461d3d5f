package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;

/** The tasks on which streams can be opened. Thread-safe. */
@FunctionalInterface
public interface StreamTasks {
  /**
   * Opens a reader's view of a task. Never blocks.
   *
   * @param wake called by the source, on any thread but never under a lock, when a {@link
   *     StreamSource#take} that returned null may now return an item
   * @throws StatusException the status with which the stream ends
   */
  StreamSource open(TaskOpening opening, Runnable wake);
}

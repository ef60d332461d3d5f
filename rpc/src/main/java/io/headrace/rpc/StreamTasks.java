package io.headrace.rpc;

import io.headrace.runtime.status.StatusException;

/** The tasks that streams can be opened on. Thread-safe. */
@FunctionalInterface
public interface StreamTasks {
  /**
   * Begins to read a task. Never blocks.
   *
   * @param wake to be called, from any thread, when a {@link StreamSource#take} that gave nothing
   *     may give something; not while the caller holds a lock
   * @throws StatusException what the reader is answered with
   */
  StreamSource open(TaskOpening opening, Runnable wake);
}

package io.headrace.dispatcher;

import io.headrace.proto.data.TaskDef;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The dispatcher's calls to workers. Thread-safe. Futures complete on any thread, and fail with a
 * {@link io.headrace.runtime.status.StatusException}.
 */
interface WorkerNetwork extends AutoCloseable {
  /** Gets the ids of the tasks that the worker at {@code address} has. */
  CompletableFuture<Set<Long>> tasks(String address);

  /** Sends {@code task} to its worker. */
  CompletableFuture<Boolean> process(TaskDef task);

  /** Releases the resources held for the worker at {@code address}. */
  void forget(String address);

  /** Releases all resources; calls in flight fail. */
  @Override
  void close();
}

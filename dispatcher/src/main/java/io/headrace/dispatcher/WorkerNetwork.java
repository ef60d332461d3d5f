package io.headrace.dispatcher;

import io.headrace.proto.data.TaskDef;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * How the dispatcher reaches its workers. Thread-safe; results complete on any thread, and fail
 * with a {@link io.headrace.runtime.status.StatusException}.
 */
interface WorkerNetwork extends AutoCloseable {
  /** Asks the worker at {@code address} for the ids of the tasks that it has. */
  CompletableFuture<Set<Long>> tasks(String address);

  /** Tells its worker of {@code task}. */
  CompletableFuture<Boolean> process(TaskDef task);

  /** Lets go of what is held for the worker at {@code address}. */
  void forget(String address);

  /** Lets go of everything; what is in flight fails. */
  @Override
  void close();
}

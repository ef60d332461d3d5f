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

  /**
   * Asks the process at {@code address} whether it has an incarnation. Fails if it has another one,
   * or is a stock worker.
   */
  CompletableFuture<Boolean> confirm(String address, long incarnation);

  /** The hosts that the name in {@code address} stands for, as {@code Caller} names them. */
  CompletableFuture<Set<String>> hosts(String address);

  /** Sends {@code task} to its worker. */
  CompletableFuture<Boolean> process(TaskDef task);

  /** Has a worker of ours send its next heartbeat now. Fails for a stock worker. */
  CompletableFuture<Boolean> hurry(String address);

  /** Releases the resources held for the worker at {@code address}. */
  void forget(String address);

  /** Releases all resources; calls in flight fail. */
  @Override
  void close();
}

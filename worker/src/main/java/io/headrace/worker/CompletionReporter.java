package io.headrace.worker;

import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Tells the dispatcher which tasks have come to their end: at once, and again after five seconds
 * where it could not be told. Tasks that it does not know are dropped. Thread-safe.
 */
final class CompletionReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(CompletionReporter.class.getName());
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration IDLE = Duration.ofHours(1);

  private final DispatcherClient dispatcher;
  private final Supplier<String> workerAddress;
  private final Pause pause = new Pause();
  private final Set<Long> pending = new LinkedHashSet<>();

  CompletionReporter(DispatcherClient dispatcher, Supplier<String> workerAddress) {
    this.dispatcher = dispatcher;
    this.workerAddress = workerAddress;
  }

  void start() {
    Thread.ofPlatform().daemon().name("worker-completions").start(this::run);
  }

  /** Notes that a task has come to its end. Does not wait. */
  void report(long taskId) {
    synchronized (pending) {
      pending.add(taskId);
    }
    pause.poke();
  }

  @Override
  public void close() {
    pause.end();
  }

  private void run() {
    Duration wait = IDLE;
    while (pause.await(wait)) {
      wait = sendAll() ? IDLE : RETRY;
    }
  }

  /** Sends what is pending; false if some of it still is. */
  private boolean sendAll() {
    List<Long> ids;
    synchronized (pending) {
      ids = List.copyOf(pending);
    }
    if (ids.isEmpty() || send(ids)) {
      return true;
    }
    // The dispatcher does not say which of them it does not know, so they go one by one.
    boolean all = true;
    for (long id : ids) {
      all &= send(List.of(id));
    }
    return all;
  }

  /** Sends {@code ids} and forgets them; false if that must be tried again. */
  private boolean send(List<Long> ids) {
    WorkerUpdateRequest.Builder request =
        WorkerUpdateRequest.newBuilder().setWorkerAddress(workerAddress.get());
    ids.forEach(
        id -> request.addUpdates(TaskProgress.newBuilder().setTaskId(id).setCompleted(true)));
    try {
      dispatcher.update(request.build());
    } catch (StatusException e) {
      if (e.code() != StatusCode.NOT_FOUND || ids.size() > 1) {
        LOGGER.log(Level.DEBUG, () -> "tasks " + ids + " are not yet reported: " + e.message());
        return false;
      }
    }
    synchronized (pending) {
      pending.removeAll(Set.copyOf(ids));
    }
    return true;
  }
}

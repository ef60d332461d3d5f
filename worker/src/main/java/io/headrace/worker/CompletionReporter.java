package io.headrace.worker;

import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Tells the dispatcher which tasks have come to their end: at once, and again after a second where
 * it could not be told. Tasks that it does not know are dropped. Thread-safe.
 */
final class CompletionReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(CompletionReporter.class.getName());
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofHours(1);

  private final DispatcherCalls dispatcher;
  private final Supplier<String> workerAddress;
  private final Pause pause = new Pause();

  /** By task, whether it is complete. */
  private final Map<Long, Boolean> pending = new LinkedHashMap<>();

  CompletionReporter(DispatcherCalls dispatcher, Supplier<String> workerAddress) {
    this.dispatcher = dispatcher;
    this.workerAddress = workerAddress;
  }

  void start() {
    Thread.ofPlatform().daemon().name("worker-completions").start(this::run);
  }

  /**
   * Notes that a task has come to its end. Does not wait.
   *
   * @param complete whether its readers have consumed every row; if that is not known, the
   *     dispatcher asks them
   */
  void report(long taskId, boolean complete) {
    synchronized (pending) {
      pending.put(taskId, complete);
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
    Map<Long, Boolean> ended;
    synchronized (pending) {
      ended = new LinkedHashMap<>(pending);
    }
    if (ended.isEmpty() || send(ended)) {
      return true;
    }
    // The dispatcher does not say which of them it does not know, so they go one by one.
    boolean all = true;
    for (Map.Entry<Long, Boolean> one : ended.entrySet()) {
      all &= send(Map.of(one.getKey(), one.getValue()));
    }
    return all;
  }

  /** Sends {@code ended} and forgets them; false if that must be tried again. */
  private boolean send(Map<Long, Boolean> ended) {
    WorkerUpdateRequest.Builder request =
        WorkerUpdateRequest.newBuilder().setWorkerAddress(workerAddress.get());
    ended.forEach((id, complete) ->
        request.addUpdates(TaskProgress.newBuilder().setTaskId(id).setCompleted(complete)));
    try {
      dispatcher.update(request.build());
    } catch (StatusException e) {
      if (e.code() != StatusCode.NOT_FOUND || ended.size() > 1) {
        LOGGER.log(
            Level.DEBUG, () -> "tasks " + ended.keySet() + " are not yet reported: " + e.message());
        return false;
      }
    }
    synchronized (pending) {
      pending.keySet().removeAll(ended.keySet());
    }
    return true;
  }
}

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
 * Reports ended tasks to the dispatcher (WorkerUpdate), at once, and retries after a second if a
 * report fails. Reports of tasks that the dispatcher does not know are dropped. Thread-safe.
 */
final class CompletionReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(CompletionReporter.class.getName());
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final DispatcherStub dispatcher;
  private final Supplier<String> workerAddress;
  private final ReportLoop loop = new ReportLoop("worker-completions", RETRY, () -> !sendAll());

  /** The unreported tasks, and whether each is complete. */
  private final Map<Long, Boolean> pending = new LinkedHashMap<>();

  CompletionReporter(DispatcherStub dispatcher, Supplier<String> workerAddress) {
    this.dispatcher = dispatcher;
    this.workerAddress = workerAddress;
  }

  void start() {
    loop.start();
  }

  /**
   * Queues the report of an ended task, without blocking.
   *
   * @param complete whether its readers are known to have consumed every row; if not, the
   *     dispatcher asks them
   */
  void report(long taskId, boolean complete) {
    synchronized (pending) {
      pending.put(taskId, complete);
    }
    loop.wake();
  }

  @Override
  public void close() {
    loop.close();
  }

  /** Sends the pending reports now, once. */
  void flush() {
    var _ = sendAll();
  }

  /** Sends the pending reports; false if some are still pending. */
  private synchronized boolean sendAll() {
    Map<Long, Boolean> ended;
    synchronized (pending) {
      ended = new LinkedHashMap<>(pending);
    }
    if (ended.isEmpty() || send(ended)) {
      return true;
    }
    // The failure does not name the unknown task, so the reports are sent one by one.
    boolean all = true;
    for (Map.Entry<Long, Boolean> one : ended.entrySet()) {
      all &= send(Map.of(one.getKey(), one.getValue()));
    }
    return all;
  }

  /** Sends the reports of {@code ended} and removes them; false if they must be retried. */
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

package io.headrace.worker;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.time.LogLimit;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Supplier;

/**
 * A worker's log lines, at level info, of what comes and goes: its registration and its tasks.
 * Dispatchers cause them, so they are limited. Thread-safe.
 */
final class WorkerLog {
  private static final Logger LOGGER = System.getLogger(WorkerLog.class.getName());

  private final LogLimit limit;

  WorkerLog(Ticker ticker) {
    limit = new LogLimit(LOGGER, ticker);
  }

  /** The dispatcher has answered the first heartbeat. */
  void registered(String address, String dispatcher) {
    tell(() -> "worker %s is registered at dispatcher %s".formatted(address, dispatcher));
  }

  /** The dispatcher answers after it was waited for. */
  void answersAgain(String dispatcher) {
    tell(() -> "the dispatcher at %s answers again".formatted(dispatcher));
  }

  /** A task has come, or has changed. */
  void begins(TaskDef task) {
    tell(() ->
        "task %d of iteration %d, of dataset %s, has come"
            .formatted(task.getTaskId(), task.getIterationId(), task.getDatasetId()));
  }

  /** The dispatcher has ended tasks. */
  void end(List<Long> tasks) {
    tasks.forEach(task -> tell(() -> "task %d has ended".formatted(task)));
  }

  /** The worker has said goodbye. */
  void left(String address) {
    tell(() -> "worker %s has left in order".formatted(address));
  }

  private void tell(Supplier<String> line) {
    if (limit.admits()) {
      LOGGER.log(Level.INFO, line);
    }
  }
}

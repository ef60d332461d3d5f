package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.journal.RecordsDelivered;
import io.headrace.runtime.origin.RecordSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The progress of iterations and workers as peers report it, counted since the dispatcher's start
 * for operators: a part of {@link SoftState}. Losses are counted from the state, so they include
 * those before the start.
 */
final class ProgressCounts {
  private final Map<Long, Counts> byIteration = new HashMap<>();
  private final Map<String, Long> handedOutBy = new HashMap<>();

  /** The last counts that an active task announced. */
  private final Map<Long, Announced> announcedBy = new HashMap<>();

  private record Announced(long rows, long delivered) {
    static final Announced NONE = new Announced(0, 0);
  }

  /** The counts of one iteration. */
  static final class Counts {
    private long lostTasks;
    private long splitsMissing;
    private long rowsMissing;
    private long recordsDelivered;
    private long rowsAnnounced;
    private long rowsDelivered;
    private long rowsHandedOut;
    private long rowsReturned;

    long lostTasks() {
      return lostTasks;
    }

    long splitsMissing() {
      return splitsMissing;
    }

    long rowsMissing() {
      return rowsMissing;
    }

    /** Without announcements, the records that readers are known to have fetched. */
    long recordsDelivered() {
      return recordsDelivered;
    }

    long rowsAnnounced() {
      return rowsAnnounced;
    }

    /** The announced rows that were delivered by the next announcement. */
    long rowsDelivered() {
      return rowsDelivered;
    }

    /** The rows that tasks had handed out by their workers' heartbeats. */
    long rowsHandedOut() {
      return rowsHandedOut;
    }

    /** The rows that readers returned to their users by their reports. */
    long rowsReturned() {
      return rowsReturned;
    }

    private void lose(Task task) {
      lostTasks++;
      splitsMissing += task.lostSplits().orElse(0);
      rowsMissing += task.lostRows().orElse(0);
    }
  }

  /** The counts of an iteration, for reading only. */
  Counts of(long iterationId) {
    return byIteration.getOrDefault(iterationId, new Counts());
  }

  /** The rows that the worker at {@code address} has handed out by its heartbeats. */
  long handedOutBy(String address) {
    return handedOutBy.getOrDefault(address, 0L);
  }

  /** Counts the losses in a state that was replayed anew. */
  void restart(DispatcherState state) {
    for (Iteration iteration : state.iterations().all()) {
      Counts counts = get(iteration.id());
      counts.lostTasks = 0;
      counts.splitsMissing = 0;
      counts.rowsMissing = 0;
      iteration.tasks().stream()
          .filter(Task::isLost)
          .filter(task -> JobLog.isLoss(task, iteration))
          .forEach(counts::lose);
    }
  }

  /** An active task has handed out {@code rows} more. */
  void handedOut(Task task, long rows) {
    get(task.iterationId()).rowsHandedOut += rows;
    handedOutBy.merge(task.workerAddress(), rows, Long::sum);
  }

  /** A reader of an iteration has returned {@code rows} more. */
  void returned(long iterationId, long rows) {
    get(iterationId).rowsReturned += rows;
  }

  /** A task has reported deliveries, or announced them. */
  void delivered(RecordsDelivered report) {
    Counts counts = get(report.getIterationId());
    if (report.getNumber() == 0) {
      counts.recordsDelivered += RecordSet.of(report.getDelivered()).size();
      return;
    }
    Announced now = new Announced(report.getRowsAnnounced(), report.getRowsDelivered());
    @Nullable Announced before = announcedBy.put(report.getTaskId(), now);
    Announced last = before == null ? Announced.NONE : before;
    counts.rowsAnnounced += Math.max(0, now.rows - last.rows);
    counts.rowsDelivered += Math.max(0, now.delivered - last.delivered);
  }

  void lost(Task task) {
    get(task.iterationId()).lose(task);
  }

  /** A task has ended. */
  void ended(long taskId) {
    announcedBy.remove(taskId);
  }

  void forgetIteration(long id) {
    byIteration.remove(id);
  }

  void forgetWorker(String address) {
    handedOutBy.remove(address);
  }

  /** Forgets iterations and tasks that are no longer in {@code state}. */
  void forgetRemoved(DispatcherState state) {
    byIteration.keySet().removeIf(id -> state.iterations().find(id).isEmpty());
    announcedBy
        .keySet()
        .removeIf(id -> state.iterations().findTask(id).filter(Task::isActive).isEmpty());
  }

  private Counts get(long iterationId) {
    return byIteration.computeIfAbsent(iterationId, _ -> new Counts());
  }
}

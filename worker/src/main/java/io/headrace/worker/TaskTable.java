package io.headrace.worker;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker's tasks: those that live, and the ids of those that the dispatcher deleted, whose
 * readers are told the end. Thread-safe.
 */
final class TaskTable {
  /** Tasks beyond which no more are taken: the dispatcher has deleted what it does not know. */
  static final int MAX_LIVE = 100_000;

  /** Ids of deleted tasks that are remembered; readers that ask for an older one wait in vain. */
  static final int MAX_FINISHED = 100_000;

  private final Function<TaskDef, RunningTask> maker;
  private final Map<Long, RunningTask> live = new ConcurrentHashMap<>();
  private final SequencedSet<Long> finished = new LinkedHashSet<>();
  private @Nullable StatusException closed;

  TaskTable(Function<TaskDef, RunningTask> maker) {
    this.maker = maker;
  }

  /** Takes a task, unless it is there. One that reuses the id of another takes its place. */
  void add(TaskDef definition) {
    @Nullable RunningTask replaced = put(definition);
    if (replaced != null) {
      replaced.cancel(deleted(replaced.id()));
    }
  }

  private synchronized @Nullable RunningTask put(TaskDef definition) {
    long id = definition.getTaskId();
    @Nullable RunningTask known = live.get(id);
    if (closed != null || (known != null && known.isDefinedBy(definition))) {
      return null;
    }
    if (live.size() >= MAX_LIVE) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED, "this worker has %d tasks, and takes no more", MAX_LIVE);
    }
    finished.remove(id);
    return live.put(id, maker.apply(definition));
  }

  /**
   * Ends tasks: those who wait for their rows are told so, those who come later are told the end.
   */
  void delete(List<Long> ids) {
    for (RunningTask task : remove(ids)) {
      task.cancel(deleted(task.id()));
    }
  }

  private synchronized List<RunningTask> remove(List<Long> ids) {
    List<RunningTask> removed = new ArrayList<>();
    for (long id : ids) {
      @Nullable RunningTask task = live.remove(id);
      if (task != null) {
        removed.add(task);
      }
      finished.add(id);
    }
    while (finished.size() > MAX_FINISHED) {
      finished.removeFirst();
    }
    return removed;
  }

  private static StatusException deleted(long id) {
    return StatusException.of(StatusCode.CANCELLED, "Task %d was deleted.", id);
  }

  /**
   * The task, or null if it came to its end and was deleted.
   *
   * @throws StatusException UNAVAILABLE if it is not known: it may be yet
   */
  @Nullable RunningTask find(long id) {
    @Nullable RunningTask task = live.get(id);
    if (task == null && !isFinished(id)) {
      throw StatusException.of(StatusCode.UNAVAILABLE, "Task %d not found", id);
    }
    return task;
  }

  private synchronized boolean isFinished(long id) {
    @Nullable StatusException reason = closed;
    if (reason != null) {
      throw new StatusException(reason.code(), reason.message());
    }
    return finished.contains(id);
  }

  Collection<RunningTask> live() {
    return live.values();
  }

  /** Ends every task; from now on whoever asks is given {@code reason}. */
  void close(StatusException reason) {
    List<RunningTask> all;
    synchronized (this) {
      closed = reason;
      all = List.copyOf(live.values());
      live.clear();
    }
    all.forEach(task -> task.cancel(reason));
  }
}

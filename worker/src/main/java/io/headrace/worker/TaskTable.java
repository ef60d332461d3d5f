package io.headrace.worker;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker's tasks: the live ones, and the ids of those that the dispatcher deleted, whose readers
 * get the end of the sequence. Thread-safe.
 */
final class TaskTable {
  /**
   * The most live tasks that a worker accepts. A correct dispatcher deletes tasks that it does not
   * know.
   */
  static final int MAX_LIVE = 100_000;

  /**
   * The most remembered ids of deleted tasks; readers of older ones get UNAVAILABLE and retry
   * without end.
   */
  static final int MAX_FINISHED = 100_000;

  /** How long a consumer's request waits for a task. */
  static final Duration MAX_ARRIVAL = Duration.ofSeconds(2);

  /** The most tasks that consumers wait for; requests for others fail at once. */
  private static final int MAX_EXPECTED = 10_000;

  private final Function<TaskDef, RunningTask> maker;
  private final Map<Long, RunningTask> live = new ConcurrentHashMap<>();
  private final Map<Long, CompletableFuture<Boolean>> expected = new ConcurrentHashMap<>();
  private final SequencedSet<Long> finished = new LinkedHashSet<>();
  private @Nullable StatusException closed;
  private boolean leaving;
  private long deletions;

  /** The sums of the tasks that are gone. */
  private final TaskSums gone = new TaskSums();

  TaskTable(Function<TaskDef, RunningTask> maker) {
    this.maker = maker;
  }

  /** Adds a task, unless it is known. A different task of the same id replaces the known one. */
  void add(TaskDef definition) {
    @Nullable RunningTask replaced = put(definition);
    if (replaced != null) {
      replaced.cancel(deleted(replaced.id()));
    }
    @Nullable CompletableFuture<Boolean> awaited = expected.remove(definition.getTaskId());
    if (awaited != null) {
      awaited.complete(true);
    }
  }

  /**
   * Completes when the task arrives, or after {@link #MAX_ARRIVAL} without it; at once if it is
   * known already. A task's consumers in a coordinated read may be told of it before its worker is,
   * and would remove it if they got an error.
   */
  CompletableFuture<Boolean> arrival(long id) {
    if (live.containsKey(id) || isFinished(id) || expected.size() >= MAX_EXPECTED) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> arrival =
        expected.computeIfAbsent(
            id,
            _ ->
                new CompletableFuture<Boolean>()
                    .completeOnTimeout(false, MAX_ARRIVAL.toMillis(), TimeUnit.MILLISECONDS));
    var _ = arrival.whenComplete((_, _) -> expected.remove(id, arrival));
    if (live.containsKey(id)) {
      arrival.complete(true);
    }
    return arrival;
  }

  private synchronized @Nullable RunningTask put(TaskDef definition) {
    long id = definition.getTaskId();
    @Nullable RunningTask known = live.get(id);
    if (closed != null || (known != null && known.isDefinedBy(definition))) {
      return null;
    }
    if (leaving) {
      throw new StatusException(StatusCode.UNAVAILABLE, "the worker is leaving");
    }
    if (live.size() >= MAX_LIVE) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED, "this worker has %d tasks, and takes no more", MAX_LIVE);
    }
    finished.remove(id);
    if (known != null) {
      known.stages().ifPresent(gone::add);
    }
    return live.put(id, maker.apply(definition));
  }

  /** Whether the task is live as {@code definition} has it. */
  boolean has(TaskDef definition) {
    @Nullable RunningTask known = live.get(definition.getTaskId());
    return known != null && known.isDefinedBy(definition);
  }

  /**
   * Deletes tasks: their waiting readers get CANCELLED, later ones the end of the sequence.
   *
   * @return the ids of those that were live
   */
  @CanIgnoreReturnValue
  List<Long> delete(List<Long> ids) {
    List<RunningTask> removed = remove(ids);
    for (RunningTask task : removed) {
      task.cancel(deleted(task.id()));
    }
    return removed.stream().map(RunningTask::id).toList();
  }

  private synchronized List<RunningTask> remove(List<Long> ids) {
    List<RunningTask> removed = new ArrayList<>();
    for (long id : ids) {
      @Nullable RunningTask task = live.remove(id);
      if (task != null) {
        removed.add(task);
        task.stages().ifPresent(gone::add);
        deletions++;
      }
      finished.add(id);
    }
    while (finished.size() > MAX_FINISHED) {
      finished.removeFirst();
    }
    return removed;
  }

  /** How many live tasks were deleted. */
  synchronized long deletions() {
    return deletions;
  }

  /** The figures of the worker, over the tasks that are gone and the live ones. */
  synchronized WorkerCounts counts(boolean registered) {
    TaskSums sums = new TaskSums(gone);
    live.values().forEach(task -> task.stages().ifPresent(sums::add));
    return sums.counts(registered, live.size(), deletions);
  }

  private static StatusException deleted(long id) {
    return StatusException.of(StatusCode.CANCELLED, "Task %d was deleted.", id);
  }

  /**
   * The task, or null if it was deleted.
   *
   * @throws StatusException UNAVAILABLE if it is unknown: it may still arrive
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

  /** Takes no more tasks, and prepares all for the worker to leave. */
  void leave() {
    List<RunningTask> all;
    synchronized (this) {
      leaving = true;
      all = List.copyOf(live.values());
    }
    all.forEach(RunningTask::leave);
  }

  /** Whether the worker can leave without a loss that any reader would notice. */
  boolean canBeLeft() {
    return live.values().stream().allMatch(RunningTask::canBeLeft);
  }

  /** Cancels all tasks; readers get {@code reason} from now on. */
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

package io.headrace.dispatcher.statistics;

import io.headrace.proto.headrace.TaskStages;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The last reports of tasks' stages, a part of the dispatcher's soft state. Bounded: further tasks
 * are left out while those known have {@link #MAX_STAGES}. Not thread-safe.
 */
public final class StageReports {
  /** With three reports of each, some 50 MB. */
  static final int MAX_STAGES = 200_000;

  /** The load of a pass's first seconds is left out of the later ones, which it does not show. */
  private static final long SETTLING_NANOS = 10_000_000_000L;

  /** A first report counts from the beginning of its pass if that is no longer ago. */
  private static final long RECENT_NANOS = 60_000_000_000L;

  private final Map<Long, RecentReports<TaskSnapshot>> byTask = new HashMap<>();
  private int stages;

  /** The last reports of a task, from which its load is computed when somebody asks. */
  public static final class OfTask {
    private final RecentReports<TaskSnapshot> reports;

    private OfTask(RecentReports<TaskSnapshot> reports) {
      this.reports = reports;
    }

    /** The load of the last seconds; empty if the reports are of no span yet. */
    public Optional<TaskLoad.Window> window() {
      return reports.nanos() <= 0
          ? Optional.empty()
          : Optional.of(reports.last().since(reports.first(), reports.nanos()));
    }
  }

  /**
   * Notes a report of an active task; returns the load since the one before, or since the begin of
   * a pass that began a short time ago.
   *
   * @throws StatusException INVALID_ARGUMENT for a malformed report
   */
  public Optional<TaskInterval> note(TaskStages report, long nowNanos) {
    TaskSnapshot now = TaskSnapshot.of(report);
    @Nullable RecentReports<TaskSnapshot> before = byTask.get(report.getTaskId());
    if (before != null && now.follows(before.last())) {
      boolean hasSettled =
          before.first().elapsedNanos() == 0 && now.elapsedNanos() >= SETTLING_NANOS;
      RecentReports<TaskSnapshot> from =
          hasSettled ? RecentReports.begin(before.last(), before.lastNanos()) : before;
      byTask.put(report.getTaskId(), from.and(now.sharing(before.last()), nowNanos));
      return interval(before.last(), before.lastNanos(), now, nowNanos);
    }
    forget(report.getTaskId());
    if (stages + now.numStages() > MAX_STAGES) {
      return Optional.empty();
    }
    stages += now.numStages();
    long begunNanos = nowNanos - now.elapsedNanos();
    RecentReports<TaskSnapshot> begun =
        before == null && now.elapsedNanos() < RECENT_NANOS
            ? RecentReports.begin(now.beginning(), begunNanos, now, nowNanos)
            : RecentReports.begin(now, nowNanos);
    byTask.put(report.getTaskId(), begun);
    return interval(begun.first(), begun.firstNanos(), now, nowNanos);
  }

  private static Optional<TaskInterval> interval(
      TaskSnapshot from, long fromNanos, TaskSnapshot to, long toNanos) {
    return toNanos - fromNanos <= 0
        ? Optional.empty()
        : Optional.of(
            new TaskInterval(
                fromNanos,
                toNanos,
                to.elapsedNanos() - from.elapsedNanos(),
                to.since(from, toNanos - fromNanos)));
  }

  /** The last reports of a task. */
  public Optional<OfTask> of(long taskId) {
    return Optional.ofNullable(byTask.get(taskId)).map(OfTask::new);
  }

  /** Forgets a task. */
  public void forget(long taskId) {
    @Nullable RecentReports<TaskSnapshot> known = byTask.remove(taskId);
    if (known != null) {
      stages -= known.last().numStages();
    }
  }

  /** Forgets the tasks that {@code ended} holds for. */
  public void forgetIf(LongPredicate ended) {
    byTask.keySet().stream().filter(ended::test).toList().forEach(this::forget);
  }
}

package io.headrace.cli.text;

import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The elements per second of iterations, from one status of a dispatcher to the next. Some counts
 * come by peers' reports, seconds apart: a rate is that between the last two changes of a count,
 * and 0 once the count has stood still for more than twice as long. Not thread-safe.
 */
public final class StatusRates {
  private static final double NANOS_PER_SECOND = 1e9;

  /** How long a count that has never changed is unknown rather than still. */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  private Map<Long, Course> byIteration = new HashMap<>();
  private long epoch;

  /** The course of one count. */
  private record Course(long count, long changedNanos, long gapNanos, double perSecond) {
    Course next(long newCount, long nowNanos) {
      long since = nowNanos - changedNanos;
      if (newCount > count) {
        return new Course(
            newCount, nowNanos, since, (newCount - count) * NANOS_PER_SECOND / Math.max(1, since));
      }
      return since > 2 * gapNanos + PATIENCE_NANOS
          ? new Course(newCount, changedNanos, gapNanos, 0)
          : this;
    }
  }

  /** Takes in a status that arrived at {@code nowNanos}. */
  public void see(GetStatusResponse status, long nowNanos) {
    if (status.getDispatcher().getEpoch() != epoch) {
      // A restarted dispatcher counts anew.
      byIteration = new HashMap<>();
      epoch = status.getDispatcher().getEpoch();
    }
    Map<Long, Course> now = new HashMap<>();
    for (JobStatus job : status.getJobsList()) {
      for (IterationStatus iteration : job.getIterationsList()) {
        long count = elements(iteration);
        @Nullable Course before = byIteration.get(iteration.getId());
        now.put(
            iteration.getId(),
            before == null ? new Course(count, nowNanos, 0, -1) : before.next(count, nowNanos));
      }
    }
    byIteration = now;
  }

  /** The rate of an iteration; empty before its count has changed twice or stood still. */
  OptionalDouble of(long iterationId) {
    @Nullable Course course = byIteration.get(iterationId);
    return course == null || course.perSecond < 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(course.perSecond);
  }

  /** The sum of all rates that are known. */
  double total() {
    return byIteration.values().stream().mapToDouble(course -> Math.max(0, course.perSecond)).sum();
  }

  /** The count of an iteration's elements that says most of its progress. */
  static long elements(IterationStatus iteration) {
    return LongStream.of(
            iteration.getRecordsTaken(),
            iteration.getRecordsDelivered(),
            iteration.getElementsDelivered(),
            iteration.getElementsHandedOut(),
            iteration.getElementsReturned())
        .max()
        .orElseThrow();
  }
}

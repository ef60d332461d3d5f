package io.headrace.dispatcher.statistics;

import io.headrace.proto.headrace.JobEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The last losses and settlements of jobs, for people to read. Bounded: beyond {@link #MAX_JOBS}
 * jobs, the one whose last event is the oldest has none; of one job, the last {@link #MAX_EVENTS}
 * are kept. Not thread-safe.
 */
final class JobEvents {
  static final int MAX_JOBS = 1_000;
  static final int MAX_EVENTS = 50;

  /** The job whose last event is the oldest first. */
  private final Map<Long, Deque<Event>> byJob = new LinkedHashMap<>();

  private record Event(long nanos, String text) {}

  /** Adds an event of a job. */
  void add(long job, long nanos, String text) {
    @Nullable Deque<Event> known = byJob.remove(job);
    Deque<Event> events = known == null ? new ArrayDeque<>() : known;
    if (events.size() == MAX_EVENTS) {
      events.removeFirst();
    }
    events.addLast(new Event(nanos, text));
    byJob.put(job, events);
    if (byJob.size() > MAX_JOBS) {
      byJob.remove(byJob.keySet().iterator().next());
    }
  }

  /** The events of a job, the oldest first. */
  List<JobEvent> of(long job, long nowNanos) {
    @Nullable Deque<Event> events = byJob.get(job);
    return events == null
        ? List.of()
        : events.stream()
            .map(event ->
                JobEvent.newBuilder()
                    .setAgeMs(TimeUnit.NANOSECONDS.toMillis(nowNanos - event.nanos()))
                    .setText(event.text())
                    .build())
            .toList();
  }

  void forget(long job) {
    byJob.remove(job);
  }

  /** Forgets the jobs that {@code ended} holds for. */
  void forgetIf(LongPredicate ended) {
    byJob.keySet().removeIf(ended::test);
  }
}

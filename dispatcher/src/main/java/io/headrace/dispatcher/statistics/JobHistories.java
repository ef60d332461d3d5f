package io.headrace.dispatcher.statistics;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The last ten minutes of jobs, their stages and their Java readers, by seconds: a part of the
 * dispatcher's soft state. Bounded: where there is no room, those without news for ten minutes make
 * some, and of the others the first have a history. Not thread-safe.
 */
final class JobHistories {
  /** Of 7 kB each: some 35 MB. */
  static final int MAX_SERIES = 5_000;

  /** Of one job. */
  static final int MAX_READERS = 100;

  private static final long NANOS_BETWEEN_SWEEPS = 10_000_000_000L;

  private final Map<Long, JobSeries> byJob = new HashMap<>();
  private int series;
  private boolean swept;
  private long sweptNanos;

  /** Notes the load of a task. */
  void worked(long job, TaskInterval interval) {
    @Nullable JobSeries of = find(job, interval.toNanos());
    if (of == null) {
      return;
    }
    of.served(interval);
    for (StageLoad load : interval.load().stages()) {
      JobSeries.StagePlace place = JobSeries.StagePlace.of(load);
      if (!of.hasStage(place)
          && of.numStages() < TaskSnapshot.MAX_STAGES
          && hasRoom(1, interval.toNanos())) {
        of.addStage(place);
        series++;
      }
      of.worked(load, interval);
    }
  }

  /** Notes the progress of a reader. */
  void read(long job, long reader, ReadingInterval interval) {
    @Nullable JobSeries of = find(job, interval.toNanos());
    if (of == null) {
      return;
    }
    if (!of.hasReader(reader) && of.numReaders() >= MAX_READERS) {
      of.forgetBefore(oldest(interval.toNanos()));
      count();
    }
    if (!of.hasReader(reader) && of.numReaders() < MAX_READERS && hasRoom(1, interval.toNanos())) {
      of.addReader(reader);
      series++;
    }
    of.read(reader, interval);
  }

  private @Nullable JobSeries find(long job, long nowNanos) {
    @Nullable JobSeries known = byJob.get(job);
    if (known != null || !hasRoom(2, nowNanos)) {
      return known;
    }
    JobSeries added = new JobSeries();
    byJob.put(job, added);
    series += added.size();
    return added;
  }

  private boolean hasRoom(int more, long nowNanos) {
    if (series + more > MAX_SERIES && (!swept || nowNanos - sweptNanos > NANOS_BETWEEN_SWEEPS)) {
      swept = true;
      sweptNanos = nowNanos;
      sweep(oldest(nowNanos));
    }
    return series + more <= MAX_SERIES;
  }

  private static long oldest(long nowNanos) {
    return SecondSeries.second(nowNanos) - SecondSeries.SECONDS;
  }

  private void sweep(long second) {
    byJob.values().removeIf(job -> job.last() < second);
    byJob.values().forEach(job -> job.forgetBefore(second));
    count();
  }

  private void count() {
    series = byJob.values().stream().mapToInt(JobSeries::size).sum();
  }

  /** Forgets the jobs that {@code ended} holds for. */
  void forgetIf(LongPredicate ended) {
    byJob.keySet().removeIf(ended::test);
    count();
  }

  /** Forgets a job. */
  void forget(long job) {
    @Nullable JobSeries known = byJob.remove(job);
    series -= known == null ? 0 : known.size();
  }

  /** A copy of the history of a job; empty if nothing is known of it. */
  Optional<JobSeries> of(long job) {
    return Optional.ofNullable(byJob.get(job)).map(JobSeries::copy);
  }
}

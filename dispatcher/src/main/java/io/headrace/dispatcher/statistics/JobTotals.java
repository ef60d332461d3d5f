package io.headrace.dispatcher.statistics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sums of what peers reported since the dispatcher's start, by the names of jobs: they only grow
 * while a job of the name is there. All anonymous jobs are one. Bounded: beyond {@link #MAX_JOBS}
 * jobs, the one without news for the longest is left out, and so are stages beyond {@link
 * #MAX_STAGES}; both are counted. Not thread-safe.
 */
final class JobTotals {
  static final int MAX_JOBS = 1_000;
  static final int MAX_STAGES = 5_000;

  /** The one without news for the longest first. */
  private final Map<String, Sums> byJob = new LinkedHashMap<>(16, 0.75f, true);

  private int stages;
  private long leftOut;

  /** The sums of the jobs of one name. */
  private static final class Sums {
    private double rows;
    private double bytes;
    private double emptySeconds;
    private double withheldSeconds;
    private double fullSeconds;
    private long elements;
    private long waitMillis;
    private long lostTasks;
    private long lostSplits;
    private long lostElements;
    private final Map<String, StageSum> stages = new LinkedHashMap<>();
  }

  private static final class StageSum {
    private double rows;
    private double busySeconds;
    private double starvedSeconds;
    private double blockedSeconds;
  }

  /** A job has come: its sums are there from now on, so that their growth can be seen. */
  void begin(String job) {
    var _ = of(job);
  }

  /** A task worked and handed out rows. */
  void worked(String job, TaskInterval interval) {
    Sums sums = of(job);
    double seconds = interval.seconds();
    TaskLoad.Window load = interval.load();
    sums.rows += load.rowsPerSecond() * seconds;
    sums.bytes += load.bytesPerSecond() * seconds;
    sums.emptySeconds += load.empty() * seconds;
    sums.withheldSeconds += load.withheld() * seconds;
    sums.fullSeconds += load.full() * seconds;
    for (StageLoad stage : load.stages()) {
      @Nullable StageSum sum = stage(sums, stage.text());
      if (sum != null) {
        double ran = interval.passSeconds();
        sum.rows += stage.rowsPerSecond() * ran;
        sum.busySeconds += stage.busy() * ran;
        sum.starvedSeconds += stage.starved() * ran;
        sum.blockedSeconds += stage.blocked() * ran;
      }
    }
  }

  /** A reader's user took elements and waited for them. */
  void read(String job, ReadingInterval interval) {
    Sums sums = of(job);
    sums.elements += interval.elements();
    sums.waitMillis += interval.waitMillis();
  }

  /** A task was lost, and with it at most so many splits and elements. */
  void lost(String job, long splits, long elements) {
    Sums sums = of(job);
    sums.lostTasks++;
    sums.lostSplits += splits;
    sums.lostElements += elements;
  }

  private Sums of(String job) {
    @Nullable Sums known = byJob.get(job);
    if (known != null) {
      return known;
    }
    Sums added = new Sums();
    byJob.put(job, added);
    if (byJob.size() > MAX_JOBS) {
      String eldest = byJob.keySet().iterator().next();
      forgetIf(eldest::equals);
      leftOut++;
    }
    return added;
  }

  private @Nullable StageSum stage(Sums job, String name) {
    @Nullable StageSum known = job.stages.get(name);
    if (known != null) {
      return known;
    }
    if (job.stages.size() >= TaskSnapshot.MAX_STAGES || stages >= MAX_STAGES) {
      leftOut++;
      return null;
    }
    StageSum added = new StageSum();
    job.stages.put(name, added);
    stages++;
    return added;
  }

  /** Forgets the jobs whose names {@code ended} holds for. */
  void forgetIf(Predicate<String> ended) {
    byJob.keySet().removeIf(ended);
    stages = byJob.values().stream().mapToInt(sums -> sums.stages.size()).sum();
  }

  /** How often something was left out for want of room. */
  long leftOut() {
    return leftOut;
  }

  /** The present sums. */
  List<JobTotal> all() {
    List<JobTotal> all = new ArrayList<>();
    byJob.forEach((job, sums) -> all.add(total(job, sums)));
    return all;
  }

  private static JobTotal total(String job, Sums sums) {
    List<JobTotal.OfStage> stages = new ArrayList<>();
    sums.stages.forEach((name, stage) ->
        stages.add(
            new JobTotal.OfStage(
                name, stage.rows, stage.busySeconds, stage.starvedSeconds, stage.blockedSeconds)));
    return new JobTotal(
        job,
        sums.rows,
        sums.bytes,
        sums.emptySeconds,
        sums.withheldSeconds,
        sums.fullSeconds,
        sums.elements,
        sums.waitMillis / 1e3,
        sums.lostTasks,
        sums.lostSplits,
        sums.lostElements,
        stages);
  }
}

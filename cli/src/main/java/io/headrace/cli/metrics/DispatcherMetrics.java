package io.headrace.cli.metrics;

import io.headrace.dispatcher.DispatcherCounts;
import io.headrace.dispatcher.statistics.JobActivity;
import io.headrace.dispatcher.statistics.JobTotal;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.Verdict;
import io.headrace.proto.headrace.WorkerStatus;
import io.headrace.runtime.status.StatusException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** A dispatcher's metrics from its figures. Thread-safe, as its sources are. */
public final class DispatcherMetrics implements MetricsSource {
  /** Jobs whose statistics are asked for, each of which takes a turn of the dispatcher. */
  static final int MAX_LIMITS = 16;

  private static final double MILLIS_PER_SECOND = 1e3;

  private final Supplier<DispatcherCounts> counts;
  private final Function<String, JobStatistics> statistics;

  /**
   * Metrics from two sources, which throw a StatusException where they have no answer.
   *
   * @param counts gives the dispatcher's figures
   * @param statistics gives the statistics of a job, by its id
   */
  public DispatcherMetrics(
      Supplier<DispatcherCounts> counts, Function<String, JobStatistics> statistics) {
    this.counts = counts;
    this.statistics = statistics;
  }

  @Override
  public List<Instrument> instruments() {
    return Instruments.DISPATCHER;
  }

  @Override
  public void sample(Samples samples) {
    DispatcherCounts now;
    try {
      now = counts.get();
    } catch (StatusException e) {
      samples.add(Instruments.ANSWERS, 0);
      return;
    }
    samples.add(Instruments.ANSWERS, 1);
    addProcess(now.status().getDispatcher(), samples);
    for (WorkerStatus.State state : WorkerStatus.State.values()) {
      if (state != WorkerStatus.State.STATE_UNSPECIFIED
          && state != WorkerStatus.State.UNRECOGNIZED) {
        samples.add(
            Instruments.WORKERS,
            now.workers().getOrDefault(state, 0L),
            state.name().toLowerCase(Locale.ROOT));
      }
    }
    addJobs(now.status().getJobsList(), samples);
    addLimits(now.status().getJobsList(), samples);
    now.jobs().forEach(job -> addLosses(job, samples));
    now.jobs().forEach(job -> addRows(job, samples));
    for (WorkerStatus worker : now.status().getWorkersList()) {
      samples.add(
          Instruments.WORKER_SILENCE,
          worker.getSilentMs() / MILLIS_PER_SECOND,
          worker.getAddress());
      samples.add(Instruments.WORKER_ACTIVE, worker.getActiveTasks(), worker.getAddress());
    }
    now.jobs().forEach(job -> addStages(job, samples));
    samples.leaveOut(
        now.leftOut() + 2 * now.status().getWorkersLeftOut() + now.status().getJobsLeftOut());
  }

  private static void addProcess(DispatcherStatus of, Samples samples) {
    samples.add(Instruments.UPTIME, of.getUptimeMs() / MILLIS_PER_SECOND, of.getVersion());
    if (of.hasOptimalWorkers()) {
      samples.add(Instruments.OPTIMAL_WORKERS, of.getOptimalWorkers());
    }
    samples.add(Instruments.JOBS, of.getJobs());
    samples.add(Instruments.ITERATIONS, of.getUnfinishedIterations());
    samples.add(Instruments.READERS, of.getReaders());
    samples.add(Instruments.DATASETS, of.getDatasets());
    samples.add(Instruments.DATASET_SIZE, of.getDatasetBytes());
    samples.add(Instruments.JOURNAL_RECORDS, of.getJournalRecords());
    samples.add(Instruments.JOURNAL_SIZE, of.getJournalBytes());
    samples.add(Instruments.JOURNAL_REFUSES, of.getJournalRefuses() ? 1 : 0);
    samples.add(Instruments.LOOP_TURNS, of.getTurns());
    samples.add(Instruments.LOOP_WAITING, of.getWaitingRequests());
  }

  private static String name(JobStatus job) {
    return job.getAnonymous() ? JobActivity.ANONYMOUS : job.getName();
  }

  /** The jobs whose iterations are kept; those of one name are one. */
  private static void addJobs(List<JobStatus> jobs, Samples samples) {
    Map<String, List<IterationStatus>> byName = new LinkedHashMap<>();
    for (JobStatus job : jobs) {
      if (job.getIterationsCount() > 0) {
        byName.merge(
            name(job),
            job.getIterationsList(),
            (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
      }
    }
    byName.forEach((name, of) -> {
      samples.add(Instruments.JOB_READERS, sum(of, IterationStatus::getReaders), name);
      samples.add(Instruments.JOB_TASKS, sum(of, IterationStatus::getActiveTasks), name);
      samples.add(Instruments.JOB_UNSERVED, sum(of, IterationStatus::getUnservedShares), name);
      if (of.stream().anyMatch(IterationStatus::hasSplits)) {
        samples.add(Instruments.JOB_SPLITS, sum(of, IterationStatus::getSplits), name, "all");
        samples.add(
            Instruments.JOB_SPLITS,
            sum(of, IterationStatus::getSplitsHandedOut),
            name,
            "handed_out");
      }
    });
  }

  private static long sum(List<IterationStatus> of, ToLongFunction<IterationStatus> part) {
    return of.stream().mapToLong(part).sum();
  }

  private static long readers(JobStatus job) {
    return sum(job.getIterationsList(), IterationStatus::getReaders);
  }

  /** Of anonymous jobs, the one whose readers wait the most. */
  private void addLimits(List<JobStatus> jobs, Samples samples) {
    Map<String, Verdict> verdicts = new LinkedHashMap<>();
    jobs.stream()
        .filter(job -> readers(job) > 0)
        .sorted(Comparator.comparingLong(DispatcherMetrics::readers).reversed())
        .limit(MAX_LIMITS)
        .forEach(job -> {
          try {
            Verdict verdict = statistics.apply(Long.toString(job.getId())).getVerdict();
            verdicts.merge(
                name(job),
                verdict,
                (one, other) -> one.getWaitShare() >= other.getWaitShare() ? one : other);
          } catch (StatusException e) {
            // The job has ended meanwhile.
          }
        });
    verdicts.forEach((name, verdict) -> {
      samples.add(Instruments.JOB_LIMIT, 1, name, verdict.getCode());
      if (verdict.hasWaitShare()) {
        samples.add(Instruments.JOB_WAIT, verdict.getWaitShare(), name);
      }
    });
  }

  private static void addLosses(JobTotal job, Samples samples) {
    samples.add(Instruments.TASKS_LOST, job.lostTasks(), job.job());
    samples.add(Instruments.SPLITS_MISSING, job.lostSplits(), job.job());
    samples.add(Instruments.RECORDS_MISSING, job.lostElements(), job.job());
  }

  private static void addRows(JobTotal job, Samples samples) {
    samples.add(Instruments.READER_ROWS, job.elements(), job.job());
    samples.add(Instruments.READER_WAIT, job.waitSeconds(), job.job());
    samples.add(Instruments.JOB_ROWS, job.rows(), job.job());
    samples.add(Instruments.JOB_DATA, job.bytes(), job.job());
    samples.add(Instruments.BUFFER_TIME, job.emptySeconds(), job.job(), "empty");
    samples.add(Instruments.BUFFER_TIME, job.withheldSeconds(), job.job(), "withheld");
    samples.add(Instruments.BUFFER_TIME, job.fullSeconds(), job.job(), "full");
  }

  private static void addStages(JobTotal job, Samples samples) {
    for (JobTotal.OfStage stage : job.stages()) {
      String name = stage.name();
      samples.add(Instruments.STAGE_TIME, stage.busySeconds(), job.job(), name, "busy");
      samples.add(Instruments.STAGE_TIME, stage.starvedSeconds(), job.job(), name, "starved");
      samples.add(Instruments.STAGE_TIME, stage.blockedSeconds(), job.job(), name, "blocked");
      samples.add(Instruments.STAGE_ROWS, stage.rows(), job.job(), name);
    }
  }
}

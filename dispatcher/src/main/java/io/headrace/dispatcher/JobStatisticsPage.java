package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.SplitProgress;
import io.headrace.dispatcher.state.Task;
import io.headrace.dispatcher.statistics.JobLoad;
import io.headrace.dispatcher.statistics.JobStatisticsMessage;
import io.headrace.dispatcher.statistics.ReaderLoad;
import io.headrace.dispatcher.statistics.RecentReports;
import io.headrace.dispatcher.statistics.StageReports;
import io.headrace.dispatcher.statistics.TaskLoad;
import io.headrace.dispatcher.statistics.WorkerEstimate;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The material of a job's statistics, collected in one turn of the {@link CommitLoop}. Immutable:
 * {@link #message}, which is expensive where there are many tasks, is called elsewhere.
 *
 * @param job the job
 * @param iteration the id of its iteration; 0 for none
 * @param repetition the iteration's number
 * @param finished whether it was read to its end
 * @param workers the registered workers
 * @param lostWorkers those that have stopped answering
 * @param splits the iteration's splits
 * @param finishedTasks its finished tasks
 * @param tasks its active tasks
 * @param readers its readers
 * @param group the group that reads it together
 * @param estimate the workers that it can use
 */
record JobStatisticsPage(
    Job job,
    long iteration,
    long repetition,
    boolean finished,
    long workers,
    long lostWorkers,
    JobLoad.Splits splits,
    long finishedTasks,
    List<Reports> tasks,
    List<ReaderLoad> readers,
    JobLoad.Group group,
    Optional<WorkerEstimate> estimate) {
  /** The repetition that readers begin with, TensorFlow's own among them. */
  private static final long FIRST_REPETITION = 1;

  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;

  /** A reader without a report for longer tells nothing of now. */
  private static final long STALE_NANOS = 20_000_000_000L;

  /** Added for each reader there is, since many report more rarely. */
  private static final long STALE_NANOS_FOR_EACH = 20_000_000L;

  /** An active task and its reports. */
  record Reports(Task task, boolean stock, Optional<StageReports.OfTask> reports) {
    private TaskLoad load() {
      return new TaskLoad(
          task.id(), task.workerAddress(), stock, reports.flatMap(StageReports.OfTask::window));
    }
  }

  /**
   * The statistics of the job {@code named}.
   *
   * @param named its id or name
   * @throws StatusException NOT_FOUND without such a job
   */
  static Decision<JobStatisticsPage> of(
      DispatcherState state, SoftState soft, String named, long nowNanos) {
    JobIteration asked = JobIteration.of(state, named);
    Optional<Iteration> found = asked.iteration();
    List<Reports> tasks = new ArrayList<>();
    found.ifPresent(iteration -> {
      for (Task task : iteration.tasks()) {
        if (task.isActive()) {
          tasks.add(reports(state, soft, task));
        }
      }
    });
    List<ReaderLoad> readers =
        found.map(iteration -> readers(state, soft, iteration, nowNanos)).orElse(List.of());
    return Decision.answer(
        new JobStatisticsPage(
            asked.job(),
            found.map(Iteration::id).orElse(0L),
            found.map(Iteration::repetition).orElse(0L),
            found.map(Iteration::isFinished).orElse(false),
            state.workers().size(),
            soft.workers().lost().size(),
            found.map(iteration -> splits(iteration.splits())).orElse(JobLoad.Splits.NONE),
            found.map(Iteration::numFinished).orElse(0),
            List.copyOf(tasks),
            readers,
            found.map(JobStatisticsPage::group).orElse(JobLoad.Group.NONE),
            found.map(iteration -> Estimates.of(soft, iteration, readers))));
  }

  /** The readers of an iteration. */
  static List<ReaderLoad> readers(
      DispatcherState state, SoftState soft, Iteration iteration, long nowNanos) {
    return iteration.clients().stream()
        .map(id -> reader(soft, id, nowNanos, stale(state)))
        .toList();
  }

  private static JobLoad.Group group(Iteration iteration) {
    if (iteration.job().isCoordinated()) {
      return new JobLoad.Group(
          iteration.numClients(), iteration.job().numConsumers().orElseThrow());
    }
    return iteration
        .readers()
        .filter(Readers::areAwaited)
        .map(readers -> new JobLoad.Group(readers.arrived().size(), readers.awaited()))
        .orElse(JobLoad.Group.NONE);
  }

  private static Reports reports(DispatcherState state, SoftState soft, Task task) {
    boolean stock =
        state.workers().find(task.workerAddress()).map(RegisteredWorker::isStock).orElse(false);
    return new Reports(task, stock, soft.stages().of(task.id()));
  }

  private static JobLoad.Splits splits(SplitProgress splits) {
    if (splits.sources().isEmpty()) {
      return JobLoad.Splits.NONE;
    }
    return new JobLoad.Splits(
        splits.numSplits(), Math.max(0, splits.numSplits() - splits.numHandedOut()));
  }

  private static long stale(DispatcherState state) {
    return Math.max(STALE_NANOS, state.iterations().clients().size() * STALE_NANOS_FOR_EACH);
  }

  private static ReaderLoad reader(SoftState soft, long client, long nowNanos, long staleNanos) {
    Optional<ClientLeases.Sight> sight = soft.clients().sight(client, nowNanos);
    Optional<RecentReports<ClientLeases.Reading>> readings =
        soft.clients()
            .readings(client)
            .filter(of -> of.nanos() > 0 && nowNanos - of.lastNanos() < staleNanos);
    return new ReaderLoad(
        client,
        sight.map(ClientLeases.Sight::kind).orElse(PeerKind.PEER_KIND_UNSPECIFIED),
        sight.map(ClientLeases.Sight::host).orElse(""),
        readings
            .map(of ->
                perMilli(of, of.last().elements() - of.first().elements()) * MILLIS_PER_SECOND)
            .map(OptionalDouble::of)
            .orElse(OptionalDouble.empty()),
        readings
            .map(of -> perMilli(of, of.last().waitMillis() - of.first().waitMillis()))
            .map(share -> OptionalDouble.of(Math.min(1, share)))
            .orElse(OptionalDouble.empty()));
  }

  private static double perMilli(RecentReports<ClientLeases.Reading> reports, long more) {
    return Math.max(0, more) * NANOS_PER_MILLI / reports.nanos();
  }

  /**
   * The message for operators.
   *
   * @param commitMillis how long the last change took to become durable; empty before the first
   */
  JobStatistics message(OptionalDouble commitMillis) {
    JobLoad load =
        new JobLoad(
            repetition <= FIRST_REPETITION,
            finished,
            new JobLoad.Cluster(workers, lostWorkers, commitMillis),
            splits,
            finishedTasks,
            tasks.stream().map(Reports::load).toList(),
            readers,
            group);
    JobStatistics.Builder message =
        JobStatisticsMessage.of(load)
            .setJobId(job.id())
            .setJobName(job.name())
            .setAnonymous(job.anonymous())
            .setIterationId(iteration)
            .setRepetition(repetition);
    estimate.ifPresent(of -> {
      of.workers().ifPresent(message::setOptimalWorkers);
      message.setTasksWithoutTimes(of.silentTasks()).setReadersWithoutTimes(of.silentReaders());
    });
    return message.build();
  }
}

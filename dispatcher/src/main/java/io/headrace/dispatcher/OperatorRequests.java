package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.OperatorDecisions;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.ExplainRequest;
import io.headrace.proto.headrace.ForgetClientResponse;
import io.headrace.proto.headrace.ForgetDatasetResponse;
import io.headrace.proto.headrace.PlannedJob;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The requests of operators that ask for more than a look at the state: plans, and changes, which
 * only callers on the dispatcher's own host may ask for. Thread-safe.
 */
final class OperatorRequests {
  private final DispatcherConfig config;
  private final CommitLoop loop;
  private final SoftState soft;
  private final SplitSourceFinder sources;
  private final Executor background;
  private final WorkerMonitor monitor;
  private final EventLog events;

  OperatorRequests(
      DispatcherConfig config,
      CommitLoop loop,
      SoftState soft,
      SplitSourceFinder sources,
      Executor background,
      WorkerMonitor monitor,
      EventLog events) {
    this.config = config;
    this.loop = loop;
    this.soft = soft;
    this.sources = sources;
    this.background = background;
    this.monitor = monitor;
    this.events = events;
  }

  /** The dataset to explain, and the job that was named. */
  private record Subject(RegisteredDataset dataset, Optional<Job> job) {
    /** NOT_FOUND without a dataset or job of that name. */
    static Subject of(DispatcherState state, ExplainRequest request) {
      String name = request.getName();
      Optional<RegisteredDataset> named =
          request.getJob() ? Optional.empty() : state.datasets().find(name);
      if (named.isPresent()) {
        return new Subject(named.get(), Optional.empty());
      }
      Job job =
          request.getJob()
              ? state.jobs().named(name)
              : state
                  .jobs()
                  .findNamed(name)
                  .orElseThrow(() ->
                      StatusException.of(
                          StatusCode.NOT_FOUND,
                          "no dataset has the id \"%s\", and no job that name or id; headrace"
                              + " status lists both",
                          name));
      return new Subject(state.datasets().get(job.datasetId()), Optional.of(job));
    }
  }

  /** A change, and the workers that have to know of it. */
  private record Change<R>(R response, List<RegisteredWorker> workers) {}

  /** The plan of a dataset or of a job's dataset. */
  CompletableFuture<DatasetPlan> explain(ExplainRequest request) {
    RequestChecks.check(request);
    boolean listed = !config.workerAddresses().isEmpty();
    return loop.submit((state, _) -> Decision.answer(Subject.of(state, request)))
        .thenCompose(subject ->
            DatasetExplanation.of(subject.dataset().parseDef(), listed, sources, background)
                .thenCompose(explained ->
                    loop.submit((state, _) ->
                        Decision.answer(
                            explained.withGuarantees(
                                state,
                                subject.dataset().id(),
                                Optional.of(config.stockGuarantee())))))
                .thenApply(plan -> subject.job().map(job -> ofJob(plan, job)).orElse(plan)));
  }

  private static DatasetPlan ofJob(DatasetPlan plan, Job job) {
    return plan.toBuilder()
        .setJob(
            PlannedJob.newBuilder()
                .setId(job.id())
                .setName(job.name())
                .setSharding(job.processingMode().getShardingPolicy())
                .setGuarantee(job.guarantee())
                .setGuaranteeReason(job.guaranteeReason()))
        .build();
  }

  /** Has a worker leave. */
  CompletableFuture<DrainWorkerResponse> drain(DrainWorkerRequest request, Caller caller) {
    caller.requireOperator("DrainWorker");
    String address = request.getWorkerAddress();
    return loop.submit((state, _) ->
            OperatorDecisions.drain(state, soft, request)
                .map(response ->
                    new Change<>(response, state.workers().find(address).stream().toList())))
        .thenApply(change -> {
          events.drains(address, request.getCancel());
          return told(change);
        });
  }

  /** Ends a job. */
  CompletableFuture<EndJobResponse> endJob(String job, Caller caller) {
    caller.requireOperator("EndJob");
    return loop.submit(
            (state, _) -> {
              List<RegisteredWorker> workers =
                  workersOf(state, state.jobs().named(job)).distinct().toList();
              return OperatorDecisions.endJob(state, job)
                  .map(ended -> new Change<>(ended, workers));
            })
        .thenApply(change -> {
          events.ended(change.response());
          return told(change);
        });
  }

  private static Stream<RegisteredWorker> workersOf(DispatcherState state, Job job) {
    return state.iterations().ofJob(job.id()).stream()
        .flatMap(id -> state.iterations().find(id).stream())
        .flatMap(iteration -> iteration.tasks().stream())
        .filter(Task::isActive)
        .flatMap(task -> state.workers().find(task.workerAddress()).stream());
  }

  /** Has the workers ask for their news, now that the change is durable. */
  private <R> R told(Change<R> change) {
    change.workers().forEach(monitor::hurry);
    return change.response();
  }

  /** Gives a client up. */
  CompletableFuture<ForgetClientResponse> forgetClient(long client, Caller caller) {
    caller.requireOperator("ForgetClient");
    return loop.submit((state, _) -> OperatorDecisions.forgetClient(state, client));
  }

  /** Forgets a dataset. */
  CompletableFuture<ForgetDatasetResponse> forgetDataset(String id, Caller caller) {
    caller.requireOperator("ForgetDataset");
    return loop.submit((state, _) -> OperatorDecisions.forgetDataset(state, id))
        .thenApply(response -> {
          events.forgotDataset(id);
          return response;
        });
  }
}

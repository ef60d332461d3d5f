package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrCreateJobResponse;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Decisions on job requests. */
public final class JobDecisions {
  private final DispatcherLimits limits;
  private final Guarantee stockGuarantee;

  /**
   * Decisions of a dispatcher.
   *
   * @param limits bounds on the state
   * @param stockGuarantee the guarantee of stock clients' jobs that can have it
   */
  public JobDecisions(DispatcherLimits limits, Guarantee stockGuarantee) {
    this.limits = limits;
    this.stockGuarantee = stockGuarantee;
  }

  /**
   * The dataset whose sources must be found before a stock client's request can be decided; empty
   * if none are needed.
   */
  public Optional<RegisteredDataset> needsSplitSources(
      DispatcherState state, GetOrCreateJobRequest request) {
    boolean dynamic = request.getProcessingModeDef().getShardingPolicy() == ShardingPolicy.DYNAMIC;
    return dynamic
            && stockGuarantee != Guarantee.AT_MOST_ONCE
            && !request.hasNumConsumers()
            && !request.getUseCrossTrainerCache()
            && existing(state, request).isEmpty()
        ? Optional.of(state.datasets().get(request.getDatasetId()))
        : Optional.empty();
  }

  /**
   * The job that a stock client's request names, or a new one.
   *
   * @param state the dispatcher's state
   * @param request a stock client's request
   * @param found the dataset's sources; empty if {@link #needsSplitSources} did not ask for them
   * @param nonce a random number for the name of an anonymous job
   */
  public Decision<GetOrCreateJobResponse> getOrCreate(
      DispatcherState state,
      GetOrCreateJobRequest request,
      Optional<SplitSourceFinder.Found> found,
      long nonce) {
    Optional<Job> existing = existing(state, request);
    if (existing.isPresent()) {
      return Decision.answer(reply(existing.get().id()));
    }
    if (found.isEmpty() && needsSplitSources(state, request).isPresent()) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE, "the job has just been forgotten; try again");
    }
    Guarantees.Granted granted =
        stockGuarantee == Guarantee.AT_MOST_ONCE
                || request.hasNumConsumers()
                || request.getUseCrossTrainerCache()
            ? Guarantees.ofStockClients(request)
            : Guarantees.strongestOfStockClients(
                state, request, found.orElse(SplitSourceFinder.Found.NOTHING));
    Job job = create(state, request, nonce, granted);
    return new Decision<>(List.of(JournalRecords.of(job.creation())), reply(job.id()));
  }

  /**
   * The job that the request names, if it exists. Its dataset need not be the request's: a job goes
   * by its name, and its first reader's dataset is everyone's, as in TensorFlow.
   *
   * @throws StatusException INVALID_ARGUMENT if the existing job differs from the request's
   *     description
   */
  static Optional<Job> existing(DispatcherState state, GetOrCreateJobRequest request) {
    Optional<Job> existing =
        request.hasJobName() ? state.jobs().find(request.getJobName()) : Optional.empty();
    existing.ifPresent(job -> requireSame(job, request));
    return existing;
  }

  /** A new job as the request describes it. */
  Job create(
      DispatcherState state,
      GetOrCreateJobRequest request,
      long nonce,
      Guarantees.Granted granted) {
    RegisteredDataset dataset = state.datasets().get(request.getDatasetId());
    limits.requireRoomForJob(state.jobs());
    long id = state.jobs().nextId();
    return new Job(
        id,
        request.hasJobName() ? request.getJobName() : anonymousName(id, nonce),
        !request.hasJobName(),
        dataset.id(),
        request.getProcessingModeDef(),
        request.getTargetWorkers(),
        granted.guarantee(),
        granted.reason(),
        granted.bounded(),
        consumers(request),
        request.getUseCrossTrainerCache());
  }

  private static OptionalLong consumers(GetOrCreateJobRequest request) {
    return request.hasNumConsumers()
        ? OptionalLong.of(request.getNumConsumers())
        : OptionalLong.empty();
  }

  private static String anonymousName(long id, long nonce) {
    return "anonymous_job_" + id + "_" + Long.toUnsignedString(nonce);
  }

  private static void requireSame(Job job, GetOrCreateJobRequest request) {
    StringBuilder diff = new StringBuilder();
    if (!job.processingMode().equals(request.getProcessingModeDef())) {
      diff.append("Existing processing mode: <")
          .append(job.processingMode().getShardingPolicy())
          .append(">; got <")
          .append(request.getProcessingModeDef().getShardingPolicy())
          .append(">. ");
    }
    if (job.cached() != request.getUseCrossTrainerCache()) {
      diff.append("Existing cross-trainer cache: <")
          .append(name(job.cached()))
          .append(">; got <")
          .append(name(request.getUseCrossTrainerCache()))
          .append(">. ");
    }
    if (job.targetWorkers() != request.getTargetWorkers()) {
      diff.append("Existing target workers: <")
          .append(name(job.targetWorkers()))
          .append(">; got <")
          .append(name(request.getTargetWorkers()))
          .append(">. ");
    }
    if (!job.numConsumers().equals(consumers(request))) {
      diff.append("Existing number of consumers: <")
          .append(name(job.numConsumers()))
          .append(">; got <")
          .append(name(consumers(request)))
          .append(">. ");
    }
    if (!diff.isEmpty()) {
      throw StatusException.invalidArgument(
          "Tried to create job with name %s, but found an existing job with different parameters:"
              + " %s",
          job.name(), diff.toString().strip());
    }
  }

  private static String name(boolean cached) {
    return cached ? "enabled" : "disabled";
  }

  private static String name(OptionalLong consumers) {
    return consumers.isPresent() ? Long.toString(consumers.getAsLong()) : "none";
  }

  private static String name(TargetWorkers workers) {
    return workers.name().replace("TARGET_WORKERS_", "");
  }

  private static GetOrCreateJobResponse reply(long id) {
    return GetOrCreateJobResponse.newBuilder().setJobId(id).build();
  }
}

package io.headrace.dispatcher;

import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrCreateJobResponse;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;

/** What requests for jobs come to. */
final class JobDecisions {
  private final DispatcherLimits limits;

  JobDecisions(DispatcherLimits limits) {
    this.limits = limits;
  }

  /**
   * The job that the request names, or a new one.
   *
   * @param nonce a random number that goes into the name of a job without one
   */
  Decision<GetOrCreateJobResponse> getOrCreate(
      DispatcherState state, GetOrCreateJobRequest request, long nonce) {
    if (request.hasJobName()) {
      Optional<Job> existing = state.jobs().find(request.getJobName());
      if (existing.isPresent()) {
        requireSame(existing.get(), request);
        return Decision.answer(reply(existing.get().id()));
      }
    }
    Dataset dataset = state.datasets().get(request.getDatasetId());
    limits.requireRoomForJob(state.jobs());
    long id = state.jobs().nextId();
    JobCreated change =
        JobCreated.newBuilder()
            .setJobId(id)
            .setJobName(request.hasJobName() ? request.getJobName() : anonymousName(id, nonce))
            .setAnonymous(!request.hasJobName())
            .setDatasetId(dataset.id())
            .setProcessingModeDef(request.getProcessingModeDef())
            .setTargetWorkers(request.getTargetWorkers())
            .build();
    return new Decision<>(List.of(Records.of(change)), reply(id));
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
    if (job.targetWorkers() != request.getTargetWorkers()) {
      diff.append("Existing target workers: <")
          .append(name(job.targetWorkers()))
          .append(">; got <")
          .append(name(request.getTargetWorkers()))
          .append(">. ");
    }
    if (!job.datasetId().equals(request.getDatasetId())) {
      diff.append("Existing dataset id: <")
          .append(job.datasetId())
          .append(">; got <")
          .append(request.getDatasetId())
          .append(">. ");
    }
    if (!diff.isEmpty()) {
      throw StatusException.invalidArgument(
          "Tried to create job with name %s, but found an existing job with different parameters:"
              + " %s",
          job.name(), diff.toString().strip());
    }
  }

  private static String name(TargetWorkers workers) {
    return workers.name().replace("TARGET_WORKERS_", "");
  }

  private static GetOrCreateJobResponse reply(long id) {
    return GetOrCreateJobResponse.newBuilder().setJobId(id).build();
  }
}

package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.GraphDifference;
import io.headrace.dispatcher.graph.MetadataComparison;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;

/**
 * Two datasets of one job: the first reader's, which everyone reads, and another that a later
 * reader registered and named in its request.
 *
 * @param jobName the job
 * @param ofJob the dataset that the job reads
 * @param requested the dataset that the later reader named
 */
public record SharedDataset(String jobName, RegisteredDataset ofJob, RegisteredDataset requested) {

  /** The datasets of the request's job, if it exists and reads another than the request names. */
  public static Optional<SharedDataset> of(DispatcherState state, GetOrCreateJobRequest request) {
    return JobDecisions.existing(state, request)
        .filter(job -> !job.datasetId().equals(request.getDatasetId()))
        .flatMap(job ->
            state
                .datasets()
                .find(request.getDatasetId())
                .map(requested ->
                    new SharedDataset(
                        job.name(), state.datasets().get(job.datasetId()), requested)));
  }

  /**
   * Requires elements of the job's dataset to be what the later reader takes them for: it decodes
   * them by its own dataset's structure.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the difference
   */
  void requireSameElements() {
    MetadataComparison.differenceOfElements(ofJob.id(), ofJob.metadata(), requested.metadata())
        .ifPresent(difference -> {
          throw refused(difference);
        });
  }

  /** Where the requested dataset's graph differs from the job's; empty if it does not. */
  public Optional<String> difference() {
    return ofJob.def().equals(requested.def())
        ? Optional.empty()
        : GraphDifference.between(ofJob.parseDef(), requested.parseDef());
  }

  /** The refusal of a reader that does not want another dataset than its own. */
  public StatusException refused(String difference) {
    return StatusException.invalidArgument(
        "job %s reads dataset %s, and this reader's dataset %s is another one: %s; give the job"
            + " another name",
        jobName, ofJob.id(), requested.id(), difference);
  }
}

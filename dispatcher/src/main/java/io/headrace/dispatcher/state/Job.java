package io.headrace.dispatcher.state;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.journal.JobCreated;

/**
 * A use of a dataset, shared by those who name it.
 *
 * @param id its number
 * @param name what clients share it by
 * @param anonymous the name was made up here
 * @param datasetId what is read
 * @param processingMode how the workers divide it
 * @param targetWorkers which workers its clients read from
 * @param guarantee what becomes of its elements when processes die
 * @param guaranteeReason why that is no stronger one
 */
public record Job(
    long id,
    String name,
    boolean anonymous,
    String datasetId,
    ProcessingModeDef processingMode,
    TargetWorkers targetWorkers,
    Guarantee guarantee,
    String guaranteeReason) {

  public static Job of(JobCreated change) {
    return new Job(
        change.getJobId(),
        change.getJobName(),
        change.getAnonymous(),
        change.getDatasetId(),
        change.getProcessingModeDef(),
        change.getTargetWorkers(),
        change.getGuarantee() == Guarantee.GUARANTEE_UNSPECIFIED
            ? Guarantee.AT_MOST_ONCE
            : change.getGuarantee(),
        change.getGuaranteeReason());
  }

  /** The record that makes it. */
  public JobCreated creation() {
    return JobCreated.newBuilder()
        .setJobId(id)
        .setJobName(name)
        .setAnonymous(anonymous)
        .setDatasetId(datasetId)
        .setProcessingModeDef(processingMode)
        .setTargetWorkers(targetWorkers)
        .setGuarantee(guarantee)
        .setGuaranteeReason(guaranteeReason)
        .build();
  }

  public boolean isExactlyOnce() {
    return guarantee == Guarantee.EXACTLY_ONCE;
  }

  /** Whether it is read exactly once, and others can join it by its name. */
  public boolean isShareable() {
    return isExactlyOnce() && !anonymous;
  }

  public boolean isAtLeastOnce() {
    return guarantee == Guarantee.AT_LEAST_ONCE;
  }

  /** Whether what a lost worker had not delivered is made again, and account kept of it. */
  public boolean remakes() {
    return isExactlyOnce() || isAtLeastOnce();
  }

  /** Whether each worker makes all elements. */
  public boolean isWhole() {
    return processingMode.getShardingPolicy() == ShardingPolicy.OFF;
  }

  public boolean isDynamic() {
    return processingMode.getShardingPolicy() == ShardingPolicy.DYNAMIC;
  }
}

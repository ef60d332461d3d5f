package io.headrace.dispatcher;

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
record Job(
    long id,
    String name,
    boolean anonymous,
    String datasetId,
    ProcessingModeDef processingMode,
    TargetWorkers targetWorkers,
    Guarantee guarantee,
    String guaranteeReason) {

  static Job of(JobCreated change) {
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
  JobCreated creation() {
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

  boolean isExactlyOnce() {
    return guarantee == Guarantee.EXACTLY_ONCE;
  }

  /** Whether it is read exactly once, and others can join it by its name. */
  boolean isShareable() {
    return isExactlyOnce() && !anonymous;
  }

  boolean isAtLeastOnce() {
    return guarantee == Guarantee.AT_LEAST_ONCE;
  }

  /** Whether what a lost worker had not delivered is made again, and account kept of it. */
  boolean remakes() {
    return isExactlyOnce() || isAtLeastOnce();
  }

  /** Whether each worker makes all elements. */
  boolean isWhole() {
    return processingMode.getShardingPolicy() == ShardingPolicy.OFF;
  }

  boolean isDynamic() {
    return processingMode.getShardingPolicy() == ShardingPolicy.DYNAMIC;
  }
}

package io.headrace.dispatcher.state;

import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TargetWorkers;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.journal.JobCreated;
import java.util.OptionalLong;

/**
 * A use of a dataset, shared by all clients that name it.
 *
 * @param id the job id
 * @param name the name by which clients share the job
 * @param anonymous the dispatcher made up the name
 * @param datasetId the dataset that the job reads
 * @param processingMode the sharding policy
 * @param targetWorkers the workers that its clients read from
 * @param guarantee the delivery guarantee when processes fail
 * @param guaranteeReason why the guarantee is no stronger
 * @param bounded a stock client created the job, which is read at most once: a lost worker must
 *     cost no more than with stock servers
 * @param numConsumers with coordinated reads, the number of consumers that read in step
 * @param cached several trainers read its elements, through the cross-trainer caches of workers
 */
public record Job(
    long id,
    String name,
    boolean anonymous,
    String datasetId,
    ProcessingModeDef processingMode,
    TargetWorkers targetWorkers,
    Guarantee guarantee,
    String guaranteeReason,
    boolean bounded,
    OptionalLong numConsumers,
    boolean cached) {

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
        change.getGuaranteeReason(),
        change.getBounded(),
        change.hasNumConsumers() ? OptionalLong.of(change.getNumConsumers()) : OptionalLong.empty(),
        change.getUseCrossTrainerCache());
  }

  /** The record that creates the job. */
  public JobCreated creation() {
    JobCreated.Builder creation =
        JobCreated.newBuilder()
            .setJobId(id)
            .setJobName(name)
            .setAnonymous(anonymous)
            .setDatasetId(datasetId)
            .setProcessingModeDef(processingMode)
            .setTargetWorkers(targetWorkers)
            .setGuarantee(guarantee)
            .setGuaranteeReason(guaranteeReason)
            .setBounded(bounded)
            .setUseCrossTrainerCache(cached);
    numConsumers.ifPresent(creation::setNumConsumers);
    return creation.build();
  }

  /** Whether its consumers read in step. */
  public boolean isCoordinated() {
    return numConsumers.isPresent();
  }

  public boolean isExactlyOnce() {
    return guarantee == Guarantee.EXACTLY_ONCE;
  }

  /** Whether the job is read exactly once and other readers can join it by its name. */
  public boolean isShareable() {
    return isExactlyOnce() && !anonymous;
  }

  public boolean isAtLeastOnce() {
    return guarantee == Guarantee.AT_LEAST_ONCE;
  }

  /** Whether the guarantee requires all undelivered work of a lost worker to be made again. */
  public boolean remakes() {
    return isExactlyOnce() || isAtLeastOnce();
  }

  /** Whether each worker makes all elements (sharding policy OFF). */
  public boolean isWhole() {
    return processingMode.getShardingPolicy() == ShardingPolicy.OFF;
  }

  public boolean isDynamic() {
    return processingMode.getShardingPolicy() == ShardingPolicy.DYNAMIC;
  }
}

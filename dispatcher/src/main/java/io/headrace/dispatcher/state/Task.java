package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.TaskCreated;
import java.util.OptionalLong;

/**
 * One worker's part of one iteration.
 *
 * @param id the task id
 * @param iterationId the iteration it belongs to
 * @param workerAddress the worker that runs it
 * @param status its status
 * @param shard with static sharding, its shard of the dataset
 * @param settlement of a task that makes a remainder, the settlement that found the remainder
 * @param lostAt of a lost task, the number of elements it had handed out when last heard of
 * @param lostSplits of a lost task whose work is not made again, the number of splits it had taken;
 *     also 0 for one that had taken none, as when it was given to a worker that had just died
 * @param lostRows of a lost task that announced its deliveries, the most rows that can be missing
 * @param lossReason of a lost task, why it ended; otherwise WORKER_LOST, which says nothing
 */
public record Task(
    long id,
    long iterationId,
    String workerAddress,
    Status status,
    OptionalLong shard,
    OptionalLong settlement,
    OptionalLong lostAt,
    OptionalLong lostSplits,
    OptionalLong lostRows,
    LossReason lossReason) {

  /** A task's status. FINISHED and LOST are final. */
  public enum Status {
    /** The worker runs the task, or is about to be told of it. */
    ACTIVE,
    /** The task has reached the end of its elements. */
    FINISHED,
    /** The task ended before the end of its elements. */
    LOST
  }

  public static Task active(long id, long iterationId, String workerAddress, OptionalLong shard) {
    return new Task(
        id,
        iterationId,
        workerAddress,
        Status.ACTIVE,
        shard,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        LossReason.WORKER_LOST);
  }

  /** A task that makes the remainder found by {@code settlement}. */
  public static Task ofRemainder(long id, long iterationId, String workerAddress, long settlement) {
    return new Task(
        id,
        iterationId,
        workerAddress,
        Status.ACTIVE,
        OptionalLong.empty(),
        OptionalLong.of(settlement),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        LossReason.WORKER_LOST);
  }

  static Task of(TaskCreated change) {
    return new Task(
        change.getTaskId(),
        change.getIterationId(),
        change.getWorkerAddress(),
        Status.ACTIVE,
        change.hasShardIndex() ? OptionalLong.of(change.getShardIndex()) : OptionalLong.empty(),
        change.hasSettlementId() ? OptionalLong.of(change.getSettlementId()) : OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        LossReason.WORKER_LOST);
  }

  /** Whether the task makes only a remainder. */
  public boolean isRemainder() {
    return settlement.isPresent();
  }

  public boolean isActive() {
    return status == Status.ACTIVE;
  }

  public boolean isFinished() {
    return status == Status.FINISHED;
  }

  public boolean isLost() {
    return status == Status.LOST;
  }

  Task finished() {
    return ended(
        Status.FINISHED,
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        LossReason.WORKER_LOST);
  }

  Task lost(OptionalLong position, OptionalLong splits, OptionalLong rows, LossReason reason) {
    return ended(Status.LOST, position, splits, rows, reason);
  }

  private Task ended(
      Status how,
      OptionalLong position,
      OptionalLong splits,
      OptionalLong rows,
      LossReason reason) {
    return new Task(
        id, iterationId, workerAddress, how, shard, settlement, position, splits, rows, reason);
  }
}

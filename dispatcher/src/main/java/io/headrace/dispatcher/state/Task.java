package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.TaskCreated;
import java.util.OptionalLong;

/**
 * One worker's part in one iteration.
 *
 * @param id its number
 * @param iterationId whose part it is
 * @param workerAddress who does it
 * @param status how it stands
 * @param shard with static sharding, which share of the dataset it is
 * @param settlement of a task that makes only a remainder, the settlement that found it
 * @param lostAt of a lost task, the number of elements it had handed out when last heard of
 * @param lostSplits of a lost task whose work is not made again, how many splits it had taken
 */
public record Task(
    long id,
    long iterationId,
    String workerAddress,
    Status status,
    OptionalLong shard,
    OptionalLong settlement,
    OptionalLong lostAt,
    OptionalLong lostSplits) {

  /** How a task stands. The last two are final. */
  public enum Status {
    /** The worker has it, or will be given it. */
    ACTIVE,
    /** It came to the end of its elements. */
    FINISHED,
    /** It was ended because its worker was lost. */
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
        OptionalLong.empty());
  }

  /** A task that makes what {@code settlement} found. */
  public static Task ofRemainder(long id, long iterationId, String workerAddress, long settlement) {
    return new Task(
        id,
        iterationId,
        workerAddress,
        Status.ACTIVE,
        OptionalLong.empty(),
        OptionalLong.of(settlement),
        OptionalLong.empty(),
        OptionalLong.empty());
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
        OptionalLong.empty());
  }

  /** Whether it makes only a remainder, and is no part of its own. */
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
    return ended(Status.FINISHED, OptionalLong.empty(), OptionalLong.empty());
  }

  Task lost(OptionalLong position, OptionalLong splits) {
    return ended(Status.LOST, position, splits);
  }

  private Task ended(Status how, OptionalLong position, OptionalLong splits) {
    return new Task(id, iterationId, workerAddress, how, shard, settlement, position, splits);
  }
}

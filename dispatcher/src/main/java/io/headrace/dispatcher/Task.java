package io.headrace.dispatcher;

import java.util.OptionalLong;

/**
 * One worker's part in one iteration.
 *
 * @param id its number
 * @param iterationId whose part it is
 * @param workerAddress who does it
 * @param status how it stands
 * @param lostAt of a lost task, the number of elements it had handed out when last heard of
 */
record Task(long id, long iterationId, String workerAddress, Status status, OptionalLong lostAt) {

  /** How a task stands. The last two are final. */
  enum Status {
    /** The worker has it, or will be given it. */
    ACTIVE,
    /** It came to the end of its elements. */
    FINISHED,
    /** It was ended because its worker was lost. */
    LOST
  }

  static Task active(long id, long iterationId, String workerAddress) {
    return new Task(id, iterationId, workerAddress, Status.ACTIVE, OptionalLong.empty());
  }

  boolean isActive() {
    return status == Status.ACTIVE;
  }

  boolean isFinished() {
    return status == Status.FINISHED;
  }

  boolean isLost() {
    return status == Status.LOST;
  }

  Task finished() {
    return new Task(id, iterationId, workerAddress, Status.FINISHED, OptionalLong.empty());
  }

  Task lost(OptionalLong position) {
    return new Task(id, iterationId, workerAddress, Status.LOST, position);
  }
}

package io.headrace.rpc;

import io.headrace.proto.headrace.OpenTask;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeEncoding;
import io.headrace.runtime.status.StatusException;

/**
 * The opening of a stream on a task: the reader, and the positions of the task that it has
 * consumed.
 *
 * @param taskId the task
 * @param reader the reader's id, the same on all its streams on the task; 0 if anonymous
 * @param incarnation the pass over the dataset to which {@code consumed} refers
 * @param consumed the positions that the reader has consumed; not to be modified
 * @param firstPosition the position of the first row to send, in any pass: the rows before it were
 *     taken, as a resume token records
 * @param rowsWithoutError the number of those rows, from position 0 on, that are known not to be
 *     errors
 * @param trainerId the trainer that reads, for tasks with a cross-trainer cache; otherwise empty
 */
public record TaskOpening(
    long taskId,
    long reader,
    long incarnation,
    LongSet consumed,
    long firstPosition,
    long rowsWithoutError,
    String trainerId) {
  /** The first stream of an anonymous reader. */
  public static TaskOpening of(long taskId) {
    return new TaskOpening(taskId, 0, 0, LongSet.EMPTY, 0, 0, "");
  }

  OpenTask toProto() {
    return OpenTask.newBuilder()
        .setTaskId(taskId)
        .setVersion(FrameEncoder.VERSION)
        .setReader(reader)
        .setIncarnation(incarnation)
        .addAllConsumed(RangeEncoding.write(consumed))
        .setFirstPosition(firstPosition)
        .setRowsWithoutError(rowsWithoutError)
        .setTrainerId(trainerId)
        .build();
  }

  /**
   * Parses the message of a reader.
   *
   * @throws StatusException INVALID_ARGUMENT for an invalid version or invalid positions
   */
  static TaskOpening of(OpenTask open) {
    if (open.getVersion() < 1) {
      throw StatusException.invalidArgument(
          "version %d of the stream's protocol; the least is 1", open.getVersion());
    }
    if (open.getRowsWithoutError() < 0 || open.getFirstPosition() < open.getRowsWithoutError()) {
      throw StatusException.invalidArgument(
          "%d rows without errors before the position %d, which there can't be",
          open.getRowsWithoutError(), open.getFirstPosition());
    }
    return new TaskOpening(
        open.getTaskId(),
        open.getReader(),
        open.getIncarnation(),
        RangeEncoding.read(open.getConsumedList()),
        open.getFirstPosition(),
        open.getRowsWithoutError(),
        open.getTrainerId());
  }
}

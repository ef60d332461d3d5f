package io.headrace.rpc;

import io.headrace.proto.headrace.OpenTask;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RangeCode;
import io.headrace.runtime.status.StatusException;

/**
 * Who opens a stream on a task, and what it has read of it before.
 *
 * @param taskId the task
 * @param reader the same on each stream on which one reader reads the task; 0: it does not say
 * @param incarnation which pass over the dataset {@code consumed} counts
 * @param consumed positions that the reader has consumed; not to be changed
 * @param firstPosition the position of the first row that is wanted, in whichever pass: those
 *     before it were taken, as a token tells
 * @param rowsWithoutError how many of these, from position 0 on, are known to be no errors
 */
public record TaskOpening(
    long taskId,
    long reader,
    long incarnation,
    LongSet consumed,
    long firstPosition,
    long rowsWithoutError) {
  /** The first stream of a reader that does not say who it is. */
  public static TaskOpening of(long taskId) {
    return new TaskOpening(taskId, 0, 0, LongSet.EMPTY, 0, 0);
  }

  OpenTask toProto() {
    return OpenTask.newBuilder()
        .setTaskId(taskId)
        .setVersion(FrameEncoder.VERSION)
        .setReader(reader)
        .setIncarnation(incarnation)
        .addAllConsumed(RangeCode.write(consumed))
        .setFirstPosition(firstPosition)
        .setRowsWithoutError(rowsWithoutError)
        .build();
  }

  /**
   * What a reader sent.
   *
   * @throws StatusException INVALID_ARGUMENT for a version that there is none of, or for positions
   *     that are none
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
        RangeCode.read(open.getConsumedList()),
        open.getFirstPosition(),
        open.getRowsWithoutError());
  }
}

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
 */
public record TaskOpening(long taskId, long reader, long incarnation, LongSet consumed) {
  /** The first stream of a reader that does not say who it is. */
  public static TaskOpening of(long taskId) {
    return new TaskOpening(taskId, 0, 0, LongSet.EMPTY);
  }

  OpenTask toProto() {
    return OpenTask.newBuilder()
        .setTaskId(taskId)
        .setVersion(FrameEncoder.VERSION)
        .setReader(reader)
        .setIncarnation(incarnation)
        .addAllConsumed(RangeCode.write(consumed))
        .build();
  }

  /**
   * What a reader sent.
   *
   * @throws StatusException INVALID_ARGUMENT for a version that there is none of, or positions that
   *     are none
   */
  static TaskOpening of(OpenTask open) {
    if (open.getVersion() < 1) {
      throw StatusException.invalidArgument(
          "version %d of the stream's protocol; the least is 1", open.getVersion());
    }
    return new TaskOpening(
        open.getTaskId(),
        open.getReader(),
        open.getIncarnation(),
        RangeCode.read(open.getConsumedList()));
  }
}

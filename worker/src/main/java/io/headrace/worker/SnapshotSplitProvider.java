package io.headrace.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.RecordReader;
import io.headrace.dataset.file.TfRecords;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.headrace.TakeSnapshotSplitsResponse;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The splits of one source of a stream of a distributed snapshot: first those that the stream was
 * given before, from their files, then new ones from the dispatcher, which writes a file for each.
 * A split's number is its place among those that the stream was given. Not thread-safe, except
 * {@link #received}.
 */
final class SnapshotSplitProvider implements SplitProvider {
  private static final String NO_LONGER_ITS_OWN = "assignment is no longer available";

  private final DispatcherStub dispatcher;
  private final String worker;
  private final SnapshotTaskDef task;
  private final int index;
  private final StreamFiles files;
  private final boolean tracked;
  private final RecordSet committed;
  private final Cancellation cancellation;
  private Map<Long, StreamFiles.SplitFile> given;

  /** The splits behind {@link #next} that the dispatcher has given, without gaps. */
  private final ArrayDeque<Tensor> ahead = new ArrayDeque<>();

  private long repetition;
  private long next;

  /**
   * The splits of the source {@code index} of {@code task}.
   *
   * @param worker the worker's address
   * @param tracked whether rows carry origins
   * @param committed the records that are not made again
   */
  SnapshotSplitProvider(
      DispatcherStub dispatcher,
      String worker,
      SnapshotTaskDef task,
      int index,
      StreamFiles files,
      boolean tracked,
      RecordSet committed,
      Cancellation cancellation) {
    this.dispatcher = dispatcher;
    this.worker = worker;
    this.task = task;
    this.index = index;
    this.files = files;
    this.tracked = tracked;
    this.committed = committed;
    this.cancellation = cancellation;
    this.given = files.splits(index);
  }

  @Override
  public @Nullable SplitRun next(long max) {
    while (true) {
      StreamFiles.@Nullable SplitFile file = given.get(next);
      if (file != null && file.repetition() > repetition) {
        return null;
      }
      @Nullable Tensor split = file == null ? take() : read(file.name());
      if (split == null && given.get(next) == null) {
        return null;
      }
      if (split != null) {
        long number = next++;
        if (!isCommitted(number)) {
          return run(split, number, max);
        }
      }
    }
  }

  /** Whether all records of the split are committed. */
  private boolean isCommitted(long split) {
    return tracked
        && (committed.completeGroups(source()).contains(split)
            || committed.records(source(), Origins.SPLITS).contains(split));
  }

  /** A split from the dispatcher; null at the end of the repetition, or if its file is found. */
  private @Nullable Tensor take() {
    if (!ahead.isEmpty()) {
      return ahead.poll();
    }
    TakeSnapshotSplitsResponse response = ask();
    if (response.getFirstLocalIndex() == next) {
      response.getSplitsList().forEach(split -> ahead.add(TensorProtos.read(split)));
      return ahead.poll();
    }
    // An earlier answer was lost, and its split is on disk.
    given = files.splits(index);
    if (response.getFirstLocalIndex() < next || !given.containsKey(next)) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "the dispatcher gave split %d of source %d of stream %d of the snapshot at %s, and split"
              + " %d has no file",
          response.getFirstLocalIndex(),
          index,
          task.getStreamIndex(),
          task.getBasePath(),
          next);
    }
    return null;
  }

  /** The dispatcher's answer; ABORTED if another worker has the stream now. */
  private TakeSnapshotSplitsResponse ask() {
    GetSnapshotSplitRequest request =
        GetSnapshotSplitRequest.newBuilder()
            .setWorkerAddress(worker)
            .setBasePath(task.getBasePath())
            .setStreamIndex(task.getStreamIndex())
            .setSourceIndex(index)
            .setRepetitionIndex(repetition)
            .build();
    try {
      return dispatcher.takeSnapshotSplits(request, cancellation);
    } catch (StatusException e) {
      // TensorFlow tells it by its words alone.
      throw e.code() == StatusCode.INTERNAL && e.message().contains(NO_LONGER_ITS_OWN)
          ? new StatusException(StatusCode.ABORTED, e.message(), e)
          : e;
    }
  }

  private static Tensor read(String file) {
    byte[][] records = new byte[2][];
    try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 0)) {
      if (reader.read(records, 0, 2) == 1) {
        return TensorProtos.read(TensorProto.parseFrom(records[0]));
      }
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.DATA_LOSS, file + " is no split", e);
    }
    throw StatusException.of(StatusCode.DATA_LOSS, "%s does not hold one split", file);
  }

  /** A split that was taken, with those behind it that are at hand if their values follow. */
  private SplitRun run(Tensor split, long number, long max) {
    if (isInteger(split)) {
      long first = split.integer(0);
      long count = 1;
      while (count < max && isAhead(first + count) && !isCommitted(next)) {
        var _ = ahead.poll();
        next++;
        count++;
      }
      return new SplitRun(first, 1, count, number);
    }
    if (split.elements() == 1 && split.dtype() == DataType.STRING) {
      String file = new String(split.string(0), UTF_8);
      return new SplitRun(0, 1, 1, number, List.of(new SourceFile(file, SourceFile.UNSEEN, 0)));
    }
    throw StatusException.unimplemented(
        "the snapshot at %s has the split %s; only scalars of int64 and string are supported",
        task.getBasePath(), split);
  }

  private static boolean isInteger(Tensor split) {
    return split.elements() == 1 && split.dtype() == DataType.INT64;
  }

  /** Whether the next split is at hand, and is {@code value}. */
  private boolean isAhead(long value) {
    @Nullable Tensor split = ahead.peek();
    return split != null && isInteger(split) && split.integer(0) == value;
  }

  @Override
  public void reset() {
    repetition++;
  }

  @Override
  public long source() {
    return tracked ? repetition * task.getNumSources() + index : -1;
  }

  @Override
  public LongSet received(long source, long split) {
    return committed.records(source, split);
  }
}

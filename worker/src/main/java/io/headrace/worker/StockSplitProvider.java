package io.headrace.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The splits of one source from a stock dispatcher, requested one at a time by GetSplit, as
 * TensorFlow's workers do. Its splits have no numbers, so rows made of them have no origins. Not
 * thread-safe.
 */
final class StockSplitProvider implements SplitProvider, LeavingSplits {
  private final DispatcherStub dispatcher;
  private final TaskDef task;
  private final int index;
  private final Cancellation cancellation;
  private long repetition;
  private volatile boolean ending;
  private volatile boolean endedEarly;

  /** The splits of the source {@code index} of {@code task}. */
  StockSplitProvider(
      DispatcherStub dispatcher, TaskDef task, int index, Cancellation cancellation) {
    this.dispatcher = dispatcher;
    this.task = task;
    this.index = index;
    this.cancellation = cancellation;
  }

  @Override
  public void endSoon() {
    ending = true;
  }

  @Override
  public boolean endedEarly() {
    return endedEarly;
  }

  @Override
  public @Nullable SplitRun next(long max) {
    if (ending) {
      endedEarly = true;
      return null;
    }
    GetSplitRequest request =
        GetSplitRequest.newBuilder()
            .setIterationId(task.getIterationId())
            .setRepetition(repetition)
            .setSplitProviderIndex(index)
            .build();
    GetSplitResponse response = dispatcher.getSplit(request, cancellation);
    return response.getEndOfSplits() ? null : run(TensorProtos.read(response.getSplit()));
  }

  private SplitRun run(Tensor split) {
    if (split.elements() == 1 && split.dtype() == DataType.INT64) {
      return new SplitRun(split.integer(0), 1, 1, 0);
    }
    if (split.elements() == 1 && split.dtype() == DataType.STRING) {
      // A chunk of a snapshot, by name.
      String file = new String(split.string(0), UTF_8);
      return new SplitRun(0, 1, 1, 0, List.of(new SourceFile(file, SourceFile.UNSEEN, 0)));
    }
    throw StatusException.of(
        StatusCode.UNIMPLEMENTED,
        "task %d was given the split %s of its source %d; only scalars of int64 and string are"
            + " supported",
        task.getTaskId(),
        split,
        index);
  }

  @Override
  public void reset() {
    repetition++;
  }

  @Override
  public boolean isExhausted() {
    return endedEarly;
  }
}

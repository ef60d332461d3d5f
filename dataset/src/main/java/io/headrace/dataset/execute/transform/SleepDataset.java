package io.headrace.dataset.execute.transform;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The input, with a pause of {@code micros} microseconds before each element. */
public record SleepDataset(DatasetValue input, long micros) implements UnaryDataset {
  public static final Op OP =
      DatasetOp.define("SleepDataset(input_dataset: variant, sleep_microseconds: int64)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .kernel(
              DatasetKernel.making(in ->
                  new SleepDataset(in.dataset("input_dataset"), in.integer("sleep_microseconds"))));

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input), micros, context.step().cancellation());
  }

  private static final class Iterator extends UnaryIterator {
    private final long micros;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Cancellation.Registration registration;

    Iterator(ChunkIterator input, long micros, Cancellation cancellation) {
      super(input);
      this.micros = micros;
      this.registration = cancellation.onCancel(ended::countDown);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      pause();
      return input.next(1);
    }

    private void pause() {
      try {
        if (ended.await(micros, MICROSECONDS)) {
          throw new StatusException(StatusCode.CANCELLED, "Operation was cancelled");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StatusException(StatusCode.CANCELLED, "the thread was interrupted", e);
      }
    }

    @Override
    public long passOver(long rows) {
      return input.passOver(rows);
    }

    @Override
    public void close() {
      ended.countDown();
      registration.close();
      super.close();
    }
  }
}

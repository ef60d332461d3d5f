package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A range of {@code rows} rows, behind which {@code next} blocks until the pass is closed. */
record BlockingDataset(long rows, CountDownLatch waiting) implements UnaryDataset {
  @Override
  public DatasetValue input() {
    return new RangeDataset(0, rows, 1, DataType.INT64);
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(input().iterator(context));
  }

  private final class Iterator extends UnaryIterator {
    private final CountDownLatch closed = new CountDownLatch(1);

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public Chunk next(int maxRows) {
      @Nullable Chunk rowsBefore = input.next(maxRows);
      if (rowsBefore != null) {
        return rowsBefore;
      }
      waiting.countDown();
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new StatusException(StatusCode.CANCELLED, "closed");
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }
}

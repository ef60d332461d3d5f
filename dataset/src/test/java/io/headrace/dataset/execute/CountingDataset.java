package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A range that counts the rows produced, and the passes started and closed. */
final class CountingDataset implements UnaryDataset {
  final AtomicLong produced = new AtomicLong();
  final AtomicInteger begun = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();
  private final DatasetValue range;

  CountingDataset(long rows) {
    this.range = new RangeDataset(0, rows, 1, DataType.INT64);
  }

  @Override
  public DatasetValue input() {
    return range;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    begun.incrementAndGet();
    return new Iterator(range.iterator(context));
  }

  private final class Iterator extends UnaryIterator {
    private boolean isClosed;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      Chunk rows = input.next(maxRows);
      produced.addAndGet(rows == null ? 0 : rows.rows());
      return rows;
    }

    @Override
    public long passOver(long rows) {
      return input.passOver(rows);
    }

    @Override
    public synchronized void close() {
      if (!isClosed) {
        isClosed = true;
        closed.incrementAndGet();
      }
      super.close();
    }
  }
}

package io.headrace.worker;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A dataset whose only pass yields the rows that the test supplies, when it supplies them. */
final class ScriptedDataset implements DatasetValue {
  private enum Mark {
    END,
    CLOSED
  }

  private final BlockingQueue<Object> script = new LinkedBlockingQueue<>();
  final CountDownLatch closed = new CountDownLatch(1);

  /** The number of skipped rows, which the script does not contain. */
  final AtomicLong passedOver = new AtomicLong();

  /** The failure of each attempt to skip rows; null if it succeeds. */
  final AtomicReference<@Nullable StatusException> passOverFailure = new AtomicReference<>();

  /** Supplies the rows {@code from} up to {@code to}; each is its number. */
  ScriptedDataset rows(long from, long to) {
    long[] values = new long[(int) (to - from)];
    for (int i = 0; i < values.length; i++) {
      values[i] = from + i;
    }
    return put(Chunk.of(values.length, List.of(new Column.Stacked(Tensor.vector(values)))));
  }

  /** Supplies rows as {@link #rows}, with the splits of these numbers as their origins. */
  ScriptedDataset numbered(long from, long to) {
    ScriptedDataset plain = new ScriptedDataset().rows(from, to);
    Chunk chunk = (Chunk) plain.script.remove();
    return put(
        chunk.withOrigins(
            new Origins.Builder().addRecords(chunk.rows(), 0, Origins.SPLITS, from).build()));
  }

  ScriptedDataset put(Object chunkOrFailure) {
    script.add(chunkOrFailure);
    return this;
  }

  ScriptedDataset end() {
    return put(Mark.END);
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.INT64);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new ChunkIterator() {
      @Override
      public @Nullable Chunk next(int maxRows) {
        return take();
      }

      @Override
      public long passOver(long rows) {
        passedOver.addAndGet(rows);
        @Nullable StatusException failure = passOverFailure.get();
        if (failure != null) {
          throw failure;
        }
        return rows;
      }

      @Override
      public void close() {
        closed.countDown();
        put(Mark.CLOSED);
      }
    };
  }

  private @Nullable Chunk take() {
    try {
      Object next = script.take();
      if (next == Mark.CLOSED) {
        throw new StatusException(StatusCode.CANCELLED, "closed");
      }
      if (next instanceof RuntimeException failure) {
        throw failure;
      }
      return next == Mark.END ? null : (Chunk) next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

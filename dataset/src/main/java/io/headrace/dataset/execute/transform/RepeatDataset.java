package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.EmptyIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * The input repeated {@code count} times; without end if {@code count} is negative.
 *
 * @param input the input dataset
 * @param count the number of repetitions
 * @param beginsOneMore whether a pass over the input is started after the last one, as TensorFlow's
 *     RepeatDataset does: it takes seeds from their generator
 */
public record RepeatDataset(DatasetValue input, long count, boolean beginsOneMore)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of(
          "RepeatDataset(input_dataset: variant, count: int64)",
          in -> new RepeatDataset(in.dataset("input_dataset"), in.integer("count"), true));

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (count == 0 || rows == 0) {
      return 0;
    }
    if (count < 0 || rows == INFINITE) {
      return INFINITE;
    }
    return rows == UNKNOWN ? UNKNOWN : saturatedProduct(rows, count);
  }

  private static long saturatedProduct(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    long size = Math.max(1, input.cardinality());
    return input.select(rows.map(row -> row % size));
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public String iteratorName() {
    return count < 0 ? "ForeverRepeat" : "FiniteRepeat";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return count == 0 ? EmptyIterator.INSTANCE : new Iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private final IteratorContext context;
    private final DroppedOrigins dropped = new DroppedOrigins();
    private volatile ChunkIterator current;
    private volatile boolean closed;
    private long done;
    private boolean found;

    Iterator(IteratorContext context) {
      this.context = context;
      this.current = context.at(done).open(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (!closed && done != count) {
        Chunk rows = current.next(maxRows);
        if (rows != null) {
          found = true;
          return dropped.joinTo(rows);
        }
        startOver();
      }
      return null;
    }

    @Override
    public long passOver(long rows) {
      long left = rows;
      while (left > 0 && !closed && done != count) {
        long passed = current.passOver(left);
        found |= passed > 0;
        left -= passed;
        if (left > 0) {
          startOver();
        }
      }
      return rows - left;
    }

    private void startOver() {
      if (!closed) {
        dropped.add(current.rest());
      }
      current.close();
      done++;
      boolean isExhausted = context.areSplitsExhausted();
      context.resetSplits();
      // An empty input would be repeated forever; a split one may receive splits again.
      if (isExhausted || (count < 0 && !found && context.splits().isEmpty())) {
        done = count;
      }
      found = false;
      if (done != count || beginsOneMore) {
        current = context.at(done).open(input);
      }
      if (closed || done == count) {
        current.close();
      }
    }

    @Override
    public Origins rest() {
      return dropped.take();
    }

    @Override
    public void close() {
      closed = true;
      current.close();
    }
  }
}

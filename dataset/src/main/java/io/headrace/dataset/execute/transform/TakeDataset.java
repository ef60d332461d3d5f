package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.EmptyIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The first {@code count} elements of the input; all of them if {@code count} is negative. */
public record TakeDataset(DatasetValue input, long count) implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of(
          "TakeDataset(input_dataset: variant, count: int64)",
          in -> new TakeDataset(in.dataset("input_dataset"), in.integer("count")));

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (count < 0 || rows == UNKNOWN) {
      return count == 0 ? 0 : rows;
    }
    return rows == INFINITE ? count : Math.min(rows, count);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return input.select(rows);
  }

  @Override
  public Lineage lineage() {
    return count < 0
        ? input.lineage()
        : Lineage.Lost.of(
            "TakeDataset",
            "which elements are left depends on the order of all elements, and each worker has an"
                + " order of its own");
  }

  @Override
  public String iteratorName() {
    return count < 0 ? "ForeverTake" : count == 0 ? "EmptyTake" : "FiniteTake";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    if (count < 0) {
      return context.open(input);
    }
    return count == 0 ? EmptyIterator.INSTANCE : new Iterator(context.open(input), count);
  }

  private static final class Iterator extends UnaryIterator {
    private long left;

    Iterator(ChunkIterator input, long count) {
      super(input);
      this.left = count;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (left == 0) {
        // Stops the input's prefetching.
        input.close();
        return null;
      }
      Chunk rows = input.next((int) Math.min(maxRows, left));
      left = rows == null ? 0 : left - rows.rows();
      return rows;
    }

    @Override
    public long skip(long rows) {
      long skipped = input.skip(Math.min(rows, left));
      left -= skipped;
      return skipped;
    }

    @Override
    public long passOver(long rows) {
      long passed = input.passOver(Math.min(rows, left));
      left -= passed;
      return passed;
    }
  }
}

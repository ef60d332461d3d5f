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

/** The input without its first {@code count} elements; empty if {@code count} is negative. */
public record SkipDataset(DatasetValue input, long count) implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of(
          "SkipDataset(input_dataset: variant, count: int64)",
          in -> new SkipDataset(in.dataset("input_dataset"), in.integer("count")));

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (count < 0) {
      return 0;
    }
    return rows < 0 ? rows : Math.max(0, rows - count);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return input.select(rows.map(row -> row + count));
  }

  @Override
  public Lineage lineage() {
    return count == 0
        ? input.lineage()
        : Lineage.Lost.of(
            "SkipDataset",
            "which elements are left depends on the order of all elements, and each worker has an"
                + " order of its own");
  }

  @Override
  public String iteratorName() {
    return count < 0 ? "EmptySkip" : "FiniteSkip";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return count < 0 ? EmptyIterator.INSTANCE : new Iterator(context.open(input), count);
  }

  private static final class Iterator extends UnaryIterator {
    private long left;

    Iterator(ChunkIterator input, long count) {
      super(input);
      this.left = count;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (left > 0) {
        long skipped = input.skip(left);
        if (skipped == 0) {
          return null;
        }
        left -= skipped;
      }
      return input.next(maxRows);
    }

    /** An error among the skipped rows would have been thrown before the first row. */
    @Override
    public long passOver(long rows) {
      long all = rows > Long.MAX_VALUE - left ? Long.MAX_VALUE : left + rows;
      long passed = Math.max(0, input.passOver(all) - left);
      left = 0;
      return passed;
    }
  }
}

package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of the input for which a predicate holds. */
record FilterDataset(DatasetValue input, CapturedFunction function, ElementSpec spec)
    implements FunctionDataset {
  static final List<Op> OPS =
      List.of(
          DatasetOp.of(
              "FilterDataset(input_dataset: variant, other_arguments: [Targuments])",
              FilterDataset::of,
              "predicate: func",
              "Targuments: list(type)"),
          DatasetOp.of(
              "ParallelFilterDataset(input_dataset: variant, other_arguments: [Targuments],"
                  + " num_parallel_calls: int64)",
              FilterDataset::of,
              "predicate: func",
              "deterministic: string = 'default'",
              "Targuments: list(type)"));

  private static FilterDataset of(Arguments in) {
    return new FilterDataset(
        in.dataset("input_dataset"), in.function("predicate", "other_arguments"), in.spec());
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(
        input.iterator(context),
        new RowMapper(function.open(context), context.ticker()),
        goesRowByRow());
  }

  private static final class Iterator extends UnaryIterator {
    private final RowMapper predicate;
    private final boolean rowByRow;

    Iterator(ChunkIterator input, RowMapper predicate, boolean rowByRow) {
      super(input);
      this.predicate = predicate;
      this.rowByRow = rowByRow;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        if (predicate.isDone()) {
          Chunk rows = input.next(rowByRow ? 1 : maxRows);
          if (rows == null) {
            return null;
          }
          predicate.accept(rows);
        }
        Chunk passed = passing(predicate.next(maxRows), predicate.source());
        if (passed != null) {
          return passed;
        }
      }
    }
  }

  private static @Nullable Chunk passing(Chunk verdicts, Chunk rows) {
    if (verdicts.columns().size() != 1) {
      throw notScalar(verdicts);
    }
    int[] indices = new int[verdicts.rows()];
    int count = indicesOfTrue(verdicts, indices);
    if (count == 0) {
      return null;
    }
    return count == rows.rows() ? rows : rows.gather(indices, count);
  }

  private static int indicesOfTrue(Chunk verdicts, int[] indices) {
    Column column = verdicts.column(0);
    if (column.dtype() != DataType.BOOL) {
      throw notScalar(verdicts);
    }
    int count = 0;
    for (int i = 0; i < indices.length; i++) {
      if (isTrue(column, i, verdicts)) {
        indices[count++] = i;
      }
    }
    return count;
  }

  private static boolean isTrue(Column column, int row, Chunk verdicts) {
    if (column instanceof Column.Stacked stacked && stacked.tensor().shape().rank() == 1) {
      return stacked.tensor().bool(row);
    }
    if (column.row(row).shape().rank() != 0) {
      throw notScalar(verdicts);
    }
    return column.row(row).bool(0);
  }

  private static StatusException notScalar(Chunk verdicts) {
    return StatusException.invalidArgument(
        "the predicate of a filter must return a scalar bool, and returned %s", verdicts.row(0));
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowMapper;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of the input for which a predicate holds. */
public record FilterDataset(DatasetValue input, CapturedFunction function, ElementSpec spec)
    implements FunctionDataset {
  public static final List<Op> OPS =
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

  private static FilterDataset of(OpArguments in) {
    return new FilterDataset(
        in.dataset("input_dataset"), in.function("predicate", "other_arguments"), in.spec());
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(
        context.open(input),
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

    private @Nullable Chunk passing(Chunk verdicts, Chunk rows) {
      int[] indices = new int[verdicts.rows()];
      int count;
      try {
        count = indicesOfTrue(verdicts, indices);
      } catch (StatusException e) {
        dropped.add(verdicts.origins());
        throw e;
      }
      Origins origins = verdicts.origins();
      if (origins.isEmpty()) {
        return count == 0 ? null : pick(rows, indices, count);
      }
      Chunk passed = null;
      if (count > 0) {
        Chunk picked = pick(rows.withOrigins(Origins.NONE), indices, count);
        passed = dropped.joinTo(picked.withOrigins(originsOf(origins, indices, count)));
      }
      dropped.add(origins, count == 0 ? 0 : indices[count - 1] + 1, verdicts.rows());
      return passed;
    }

    @Override
    public Origins rest() {
      dropped.add(predicate.takeDropped());
      return super.rest();
    }
  }

  private static Chunk pick(Chunk rows, int[] indices, int count) {
    return count == rows.rows() ? rows : rows.gather(indices, count);
  }

  /** The origins of the rows {@code indices}, each with those of the rows dropped before it. */
  private static Origins originsOf(Origins all, int[] indices, int count) {
    Origins.Builder passed = new Origins.Builder();
    int done = 0;
    for (int i = 0; i < count; ) {
      int from = indices[i];
      int to = from;
      while (i < count && indices[i] == to) {
        to++;
        i++;
      }
      passed.addParts(all, done, from).addRows(all, from, to);
      done = to;
    }
    return passed.build();
  }

  private static int indicesOfTrue(Chunk verdicts, int[] indices) {
    if (verdicts.columns().size() != 1) {
      throw notScalar(verdicts);
    }
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

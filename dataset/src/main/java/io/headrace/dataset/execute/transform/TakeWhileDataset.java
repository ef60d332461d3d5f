package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The elements of the input before the first for which a predicate is false. */
public record TakeWhileDataset(DatasetValue input, CapturedFunction function, ElementSpec spec)
    implements FunctionDataset {
  public static final Op OP =
      DatasetOp.of(
          "TakeWhileDataset(input_dataset: variant, other_arguments: [Targuments])",
          in ->
              new TakeWhileDataset(
                  in.dataset("input_dataset"),
                  in.function("predicate", "other_arguments"),
                  in.spec()),
          "predicate: func",
          "Targuments: list(type)");

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "TakeWhileDataset",
        "where it ends depends on the order of all elements, and each worker has an order of its"
            + " own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input), function.open(context));
  }

  private static final class Iterator extends UnaryIterator {
    private final RowFunction predicate;
    private boolean done;

    Iterator(ChunkIterator input, RowFunction predicate) {
      super(input);
      this.predicate = predicate;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      // One row at a time: nothing behind the last row may be read.
      Chunk row = done ? null : input.next(1);
      if (row == null || !predicate.callForBool(row.row(0), "predicate")) {
        done = true;
        input.close();
        return null;
      }
      return row;
    }
  }
}

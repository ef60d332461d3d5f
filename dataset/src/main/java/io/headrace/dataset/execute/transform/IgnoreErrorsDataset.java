package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The input without the elements that fail. */
public record IgnoreErrorsDataset(DatasetValue input, boolean logsWarnings)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.define("IgnoreErrorsDataset(input_dataset: variant)")
          .attrs(
              "output_types: list(type)", "output_shapes: list(shape)", "log_warning: bool = false")
          .kernel(
              DatasetKernel.making(in ->
                  new IgnoreErrorsDataset(
                      in.dataset("input_dataset"), in.attrs().bool("log_warning"))));

  @Override
  public long cardinality() {
    return input.cardinality() == INFINITE ? INFINITE : UNKNOWN;
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input), context);
  }

  private final class Iterator extends UnaryIterator {
    private final IteratorContext context;

    Iterator(ChunkIterator input, IteratorContext context) {
      super(input);
      this.context = context;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        try {
          return input.next(maxRows);
        } catch (StatusException e) {
          context.step().cancellation().check();
          if (e.code() == StatusCode.CANCELLED) {
            throw e;
          }
          context.progress().ignoredErrors().add(e, logsWarnings, context.ticker());
        }
      }
    }
  }
}

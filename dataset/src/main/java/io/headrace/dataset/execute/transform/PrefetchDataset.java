package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.runtime.op.Op;

/** The input, prefetched into a buffer of {@code bufferSize} elements. */
public record PrefetchDataset(DatasetValue input, long bufferSize) implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of(
          "PrefetchDataset(input_dataset: variant, buffer_size: int64)",
          PrefetchDataset::of,
          "slack_period: int = 0",
          "legacy_autotune: bool = true",
          "buffer_size_min: int = 0");

  private static PrefetchDataset of(OpArguments in) {
    long bufferSize = in.integer("buffer_size");
    if (bufferSize < 0 && bufferSize != PrefetchProducer.AUTOTUNE) {
      throw in.invalid("buffer_size must be >= 0, or -1 for AUTOTUNE, and is %d", bufferSize);
    }
    return new PrefetchDataset(in.dataset("input_dataset"), bufferSize);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new PrefetchDataset(input.select(rows), bufferSize);
  }

  @Override
  public Lineage lineage() {
    return input.lineage();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return bufferSize == 0
        ? context.open(input)
        : PrefetchIterator.open(input, bufferSize, context);
  }
}

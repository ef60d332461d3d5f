package io.headrace.dataset.execute;

import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * Begins a pass over the dataset that a function makes of the input's next element, when it is
 * asked to.
 */
final class OpenedInTurn implements InnerPasses {
  private final ChunkIterator input;
  private final RowFunction function;
  private final IteratorContext context;

  OpenedInTurn(ChunkIterator input, RowFunction function, IteratorContext context) {
    this.input = input;
    this.function = function;
    this.context = context;
  }

  @Override
  public @Nullable ChunkIterator next() {
    Chunk row = input.next(1);
    return row == null ? null : function.callForDataset(row.row(0)).iterator(context);
  }

  @Override
  public void close() {
    input.close();
  }
}

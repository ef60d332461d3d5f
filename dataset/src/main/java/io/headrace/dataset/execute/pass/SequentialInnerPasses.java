package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * Starts each pass, over the dataset that a function makes of the input's next element, when it is
 * requested.
 */
public final class SequentialInnerPasses implements InnerPasses {
  private final ChunkIterator input;
  private final RowFunction function;
  private final IteratorContext outside;
  private final IteratorContext context;
  private final DroppedOrigins dropped = new DroppedOrigins();
  private long started;

  public SequentialInnerPasses(ChunkIterator input, RowFunction function, IteratorContext context) {
    this.input = input;
    this.function = function;
    this.outside = context;
    this.context = context.withoutSplits();
  }

  @Override
  public @Nullable ChunkIterator next() {
    Chunk row = input.next(1);
    if (row == null) {
      return null;
    }
    SplitRow split = SplitRow.of(dropped.joinTo(row).origins());
    try {
      DatasetValue made = function.callForDataset(row.row(0));
      return split.named(split.context(context).at(started++).open(made), outside);
    } catch (StatusException e) {
      dropped.add(split.rest(0));
      throw e;
    }
  }

  @Override
  public Origins rest() {
    SplitRow.addEnds(input.rest(), dropped);
    return dropped.take();
  }

  @Override
  public void close() {
    input.close();
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.RowMapper;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** A pass over the results of a function, which runs on the thread that asks. */
final class MapIterator extends UnaryIterator {
  private final RowMapper mapper;
  private final boolean rowByRow;
  private final boolean mustBeCalled;

  MapIterator(MapDataset dataset, IteratorContext context) {
    super(dataset.input().iterator(context));
    this.mapper = new RowMapper(dataset.function().open(context), context.ticker());
    this.rowByRow = dataset.goesRowByRow();
    this.mustBeCalled = dataset.function().isStateful() || dataset.function().changesResources();
  }

  /** Whether all rows that were read are handed over. */
  boolean isBetweenRows() {
    return mapper.isDone();
  }

  /** How long the function took for the rows that were handed over last. */
  long lastCallNanos() {
    return mapper.lastCallNanos();
  }

  /** What rows that failed were made of, and no row told of. */
  Origins takeDropped() {
    return mapper.takeDropped();
  }

  @Override
  public Origins rest() {
    dropped.add(mapper.takeDropped());
    return super.rest();
  }

  /** What the rows are made of. */
  ChunkIterator input() {
    return input;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    if (mapper.isDone()) {
      Chunk rows = input.next(rowByRow ? 1 : maxRows);
      if (rows == null) {
        return null;
      }
      mapper.accept(rows);
    }
    return mapper.next(maxRows);
  }

  @Override
  public long passOver(long rows) {
    return mustBeCalled ? super.passOver(rows) : input.passOver(rows);
  }
}

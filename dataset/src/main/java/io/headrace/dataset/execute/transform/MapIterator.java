package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.RowMapper;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The results of a function, which runs on the calling thread. */
final class MapIterator extends UnaryIterator {
  private final RowMapper mapper;
  private final boolean rowByRow;
  private final boolean mustBeCalled;

  MapIterator(MapDataset dataset, IteratorContext context) {
    super(context.open(dataset.input()));
    this.mapper = new RowMapper(dataset.function().open(context), context.ticker());
    this.rowByRow = dataset.goesRowByRow();
    this.mustBeCalled = dataset.function().isStateful() || dataset.function().changesResources();
  }

  /** Whether all rows read were returned. */
  boolean isBetweenRows() {
    return mapper.isDone();
  }

  /** The function's time for the rows returned last. */
  long lastCallNanos() {
    return mapper.lastCallNanos();
  }

  /** The origins of failed rows that no row reports. */
  Origins takeDropped() {
    return mapper.takeDropped();
  }

  @Override
  public Origins rest() {
    dropped.add(mapper.takeDropped());
    return super.rest();
  }

  /** The input of the map. */
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

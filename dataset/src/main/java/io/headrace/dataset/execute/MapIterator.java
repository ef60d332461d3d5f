package io.headrace.dataset.execute;

import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.Ticker;
import org.jspecify.annotations.Nullable;

/** A pass over the results of a function, which runs on the thread that asks. */
final class MapIterator extends UnaryIterator {
  private final RowMapper mapper;
  private final boolean rowByRow;

  MapIterator(ChunkIterator input, RowFunction function, Ticker ticker, boolean rowByRow) {
    super(input);
    this.mapper = new RowMapper(function, ticker);
    this.rowByRow = rowByRow;
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
}

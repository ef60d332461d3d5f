package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pass over records of scalar components that are read one by one: subclasses read a record, this
 * gathers chunks. An error comes behind the rows before it.
 */
abstract class RowIterator implements ChunkIterator {
  private static final int MAX_ROWS = 4096;

  private final IteratorContext context;
  private final List<DataType> types;
  private @Nullable StatusException pending;

  RowIterator(IteratorContext context, List<DataType> types) {
    this.context = context;
    this.types = types;
  }

  /**
   * Writes the next record's components to index {@code row} of the columns' arrays, and its place
   * to {@code places}; returns false at the end, and from then on.
   */
  abstract boolean read(List<Object> columns, int row, RecordPlaces.Builder places);

  /** Whether the chunk that has rows should wait for another: it costs little time and memory. */
  abstract boolean isBuffered();

  @Override
  public final @Nullable Chunk next(int maxRows) {
    throwPending();
    int capacity = Math.min(maxRows, MAX_ROWS);
    List<Object> columns = new ArrayList<>();
    types.forEach(type -> columns.add(type.kind().newArray(capacity)));
    RecordPlaces.Builder places = new RecordPlaces.Builder();
    int count = 0;
    try {
      while (count < capacity && (count == 0 || isBuffered())) {
        context.step().cancellation().check();
        if (!read(columns, count, places)) {
          break;
        }
        count++;
      }
    } catch (StatusException e) {
      pending = e;
    }
    if (count == 0) {
      throwPending();
      return null;
    }
    return chunk(columns, count, capacity).withPlaces(places.build());
  }

  private void throwPending() {
    StatusException failure = pending;
    if (failure != null) {
      pending = null;
      throw failure;
    }
  }

  private Chunk chunk(List<Object> columns, int count, int capacity) {
    List<Column> result = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      DataType type = types.get(i);
      Object array = columns.get(i);
      if (count < capacity) {
        array = type.kind().newArray(count);
        type.kind().copy(columns.get(i), 0, array, 0, count);
      }
      result.add(new Column.Stacked(Tensor.wrap(type, Shape.of(count), array)));
    }
    return Chunk.of(count, result);
  }
}

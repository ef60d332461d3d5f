package io.headrace.dataset.execute;

import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows that lie in memory.
 *
 * @param chunks the rows, in order
 * @param spec what the rows are
 */
record ListedDataset(List<Chunk> chunks, ElementSpec spec) implements DatasetValue {
  ListedDataset {
    chunks = List.copyOf(chunks);
  }

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    return chunks.stream().mapToLong(Chunk::rows).sum();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(chunks);
  }

  /** A pass over rows in memory. */
  static final class Iterator implements ChunkIterator {
    private final List<Chunk> chunks;
    private int nextChunk;
    private final RowCursor rows = new RowCursor();
    private volatile boolean closed;

    Iterator(List<Chunk> chunks) {
      this.chunks = chunks;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (closed || !refill()) {
        return null;
      }
      return rows.take(Math.min(maxRows, rows.left()));
    }

    @Override
    public long skip(long count) {
      long left = count;
      while (left > 0 && !closed && refill()) {
        int dropped = (int) Math.min(left, rows.left());
        rows.drop(dropped);
        left -= dropped;
      }
      return count - left;
    }

    private boolean refill() {
      if (rows.isEmpty() && nextChunk < chunks.size()) {
        rows.refill(chunks.get(nextChunk++));
      }
      return !rows.isEmpty();
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a source at given indices.
 *
 * @param source the source
 * @param indices the indices of the rows, each below the source's cardinality
 * @param rows the source's rows at some indices, in their order
 */
public record SelectedRows(DatasetValue source, RowIndices indices, Function<long[], Chunk> rows)
    implements DatasetValue {
  @Override
  public List<DataType> outputTypes() {
    return source.outputTypes();
  }

  @Override
  public List<Shape> outputShapes() {
    return source.outputShapes();
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator();
  }

  private final class Iterator implements ChunkIterator {
    private static final int MAX_ROWS = 1024;

    private final PrimitiveIterator.OfLong next = indices.stream().iterator();
    private volatile boolean closed;

    @Override
    public @Nullable Chunk next(int maxRows) {
      long[] chosen = new long[Math.min(maxRows, MAX_ROWS)];
      int count = 0;
      while (count < chosen.length && !closed && next.hasNext()) {
        chosen[count++] = next.nextLong();
      }
      return count == 0 ? null : rows.apply(Arrays.copyOf(chosen, count));
    }

    @Override
    public long skip(long count) {
      long skipped = 0;
      while (skipped < count && !closed && next.hasNext()) {
        next.nextLong();
        skipped++;
      }
      return skipped;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

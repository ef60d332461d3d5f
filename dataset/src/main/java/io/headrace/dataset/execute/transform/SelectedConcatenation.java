package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/**
 * Elements of two datasets at the indices that they have in the concatenation of both.
 *
 * @param first the elements with the indices below its cardinality
 * @param second the elements with the indices from there on
 * @param outputShapes the static shapes of elements of both
 * @param rows the indices
 */
record SelectedConcatenation(
    DatasetValue first, DatasetValue second, List<Shape> outputShapes, RowIndices rows)
    implements DatasetValue {
  SelectedConcatenation {
    // Throws at once if one of them cannot be read in any order.
    var _ = first.select(RowIndices.NONE);
    var _ = second.select(RowIndices.NONE);
  }

  @Override
  public List<DataType> outputTypes() {
    return first.outputTypes();
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public boolean touchesResources() {
    return first.touchesResources() || second.touchesResources();
  }

  @Override
  public boolean changesResources() {
    return first.changesResources() || second.changesResources();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private final long border = first.cardinality();
    private final PrimitiveIterator.OfLong indices = rows.stream().iterator();
    private final ChunkIterator low;
    private final ChunkIterator high;

    /** The pass that owes the next rows, and how many of them are known to follow each other. */
    private ChunkIterator current;

    private long owed;

    /** The pass of the row behind those. */
    private @Nullable ChunkIterator following;

    Iterator(IteratorContext context) {
      this.low = context.open(first.select(rows.filter(row -> row < border)));
      this.high =
          context.open(second.select(rows.filter(row -> row >= border).map(row -> row - border)));
      this.current = low;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      findRun(maxRows);
      if (owed == 0) {
        return null;
      }
      try {
        Chunk found = current.next((int) Math.min(maxRows, owed));
        owed -= found == null ? owed : found.rows();
        return found;
      } catch (RuntimeException e) {
        owed--;
        throw e;
      }
    }

    /** Counts the next rows of one pass, up to {@code maxRows}. */
    @SuppressWarnings("ReferenceEquality") // iterators have no other equality
    private void findRun(int maxRows) {
      if (owed == 0 && following != null) {
        current = following;
        following = null;
        owed = 1;
      }
      while (owed < maxRows && following == null && indices.hasNext()) {
        ChunkIterator pass = indices.nextLong() < border ? low : high;
        if (owed == 0) {
          current = pass;
        }
        if (pass == current) {
          owed++;
        } else {
          following = pass;
        }
      }
    }

    @Override
    public void close() {
      low.close();
      high.close();
    }
  }
}

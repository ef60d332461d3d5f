package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The elements of the input whose position leaves the rest {@code index} by {@code shards}. */
record ShardDataset(DatasetValue input, long shards, long index, boolean requiresNonEmpty)
    implements UnaryDataset {
  static final Op OP =
      DatasetOp.of(
          "ShardDataset(input_dataset: variant, num_shards: int64, index: int64)",
          ShardDataset::of,
          "require_non_empty: bool = false");

  private static ShardDataset of(Arguments in) {
    long shards = in.integer("num_shards");
    long index = in.integer("index");
    if (shards < 1) {
      throw in.invalid(
          "Number of shards must be greater than zero (currently num_shards = %d).", shards);
    }
    if (index < 0 || index >= shards) {
      throw in.invalid("Index must be between 0 and %d (currently index = %d).", shards - 1, index);
    }
    return new ShardDataset(
        in.dataset("input_dataset"), shards, index, in.attrs().bool("require_non_empty"));
  }

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    return rows < 0 ? rows : rows / shards + (index < rows % shards ? 1 : 0);
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(input.iterator(context));
  }

  private final class Iterator extends UnaryIterator {
    /** Rows of the input to pass over before the next row of this shard. */
    private long gap = index;

    private boolean found;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (gap > 0) {
        gap -= input.skip(gap);
      }
      long span = 1 + Math.min((maxRows - 1) * shards, Integer.MAX_VALUE - 1);
      Chunk rows = gap > 0 ? null : input.next((int) span);
      if (rows == null) {
        checkFound();
        return null;
      }
      found = true;
      return pick(rows);
    }

    private Chunk pick(Chunk rows) {
      int count = (int) ((rows.rows() - 1) / shards) + 1;
      gap = count * shards - rows.rows();
      if (count == rows.rows()) {
        return rows;
      }
      int[] indices = new int[count];
      for (int i = 0; i < count; i++) {
        indices[i] = (int) (i * shards);
      }
      return rows.gather(indices, count);
    }

    private void checkFound() {
      if (requiresNonEmpty && !found) {
        found = true;
        throw StatusException.invalidArgument(
            "Could not apply FILE based sharding: the dataset has fewer than %d elements, so none"
                + " is left for shard %d",
            shards, index);
      }
    }
  }
}

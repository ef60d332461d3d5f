package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * The elements of the input whose position modulo {@code shards} is {@code index}.
 *
 * @param requiresNonEmpty whether it is an error if this shard has an element and another has none;
 *     static sharding sets it
 */
public record ShardDataset(DatasetValue input, long shards, long index, boolean requiresNonEmpty)
    implements UnaryDataset {
  /** The number of shards of a {@code shard} that static sharding fills in. */
  public static final long HINT = -1;

  public static final Op OP =
      DatasetOp.of(
          "ShardDataset(input_dataset: variant, num_shards: int64, index: int64)",
          ShardDataset::of,
          "require_non_empty: bool = false");

  private static ShardDataset of(OpArguments in) {
    long shards = in.integer("num_shards");
    long index = in.integer("index");
    boolean isHint = shards == HINT;
    if (shards < 1 && !isHint) {
      throw in.invalid(
          "Number of shards must be greater than zero (currently num_shards = %d).", shards);
    }
    if (!isHint && (index < 0 || index >= shards)) {
      throw in.invalid("Index must be between 0 and %d (currently index = %d).", shards - 1, index);
    }
    return new ShardDataset(
        in.dataset("input_dataset"), shards, index, in.attrs().bool("require_non_empty"));
  }

  @Override
  public long cardinality() {
    long rows = shards == HINT ? UNKNOWN : input.cardinality();
    return rows < 0 ? rows : rows / shards + (index < rows % shards ? 1 : 0);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return input.select(rows.map(row -> row * shards + index));
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "ShardDataset",
        "which elements are left depends on the order of all elements, and each worker has an order"
            + " of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    if (shards == HINT) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be read in tf.data service with"
              + " `tf.data.experimental.service.ShardingPolicy.HINT` processing mode");
    }
    return new Iterator(context.open(input));
  }

  private final class Iterator extends UnaryIterator {
    /** The rows of the input to skip before the next row of this shard. */
    private long gap = index;

    private boolean isChecked = !requiresNonEmpty;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (gap > 0) {
        gap -= input.skip(gap);
      }
      if (gap > 0) {
        return null;
      }
      return isChecked ? nextOfMany(maxRows) : first();
    }

    /** An error in a row of another shard would have been this shard's error. */
    @Override
    public long passOver(long rows) {
      boolean endless = rows > (Long.MAX_VALUE - index) / shards;
      long passed = input.passOver(endless ? Long.MAX_VALUE : index + 1 + (rows - 1) * shards);
      isChecked = true;
      gap = shards - 1;
      return passed <= index ? 0 : (passed - index - 1) / shards + 1;
    }

    private @Nullable Chunk nextOfMany(int maxRows) {
      long span = 1 + Math.min((maxRows - 1) * shards, Integer.MAX_VALUE - 1);
      Chunk rows = input.next((int) span);
      return rows == null ? null : pick(rows);
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

    /** The first row, provided that each of the other shards has one, too. */
    private @Nullable Chunk first() {
      Chunk row = input.next(1);
      if (row == null) {
        return null;
      }
      isChecked = true;
      gap = shards - 1;
      long others = shards - 1 - index;
      long found = others == 0 ? 0 : input.skip(others);
      if (found < others) {
        throw StatusException.invalidArgument(
            "Could not apply FILE based sharding: the dataset only has %d file(s), which is not"
                + " enough for the required %d shards/workers. Consider sharding by DATA or OFF,"
                + " or splitting the input into more files",
            index + 1 + found, shards);
      }
      gap = index;
      return row;
    }
  }
}

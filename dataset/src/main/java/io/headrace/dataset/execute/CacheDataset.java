package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The input, whose rows are kept in memory from the first pass that is read to its end. */
record CacheDataset(DatasetValue input, MemoryCache cache) implements UnaryDataset {
  static final List<Op> OPS =
      List.of(
          op(
              "CacheDataset(input_dataset: variant, filename: string)",
              in -> of(in, new MemoryCache())),
          op(
              "CacheDatasetV2(input_dataset: variant, filename: string, cache: resource)",
              in -> of(in, shared(in))));

  private static Op op(String signature, Function<Arguments, DatasetValue> maker) {
    return DatasetOp.typed(signature)
        .stateful()
        .remark("In memory only: a filename is UNIMPLEMENTED.")
        .kernel(DatasetKernel.making(maker));
  }

  private static MemoryCache shared(Arguments in) {
    return SeedOps.resourceOr(in.tensor("cache"), MemoryCache.class, new MemoryCache());
  }

  private static CacheDataset of(Arguments in, MemoryCache cache) {
    String file = in.string("filename");
    if (!file.isEmpty()) {
      throw StatusException.unimplemented(
          "CacheDataset with a file (%s) is not supported; cache in memory instead", file);
    }
    return new CacheDataset(in.dataset("input_dataset"), cache);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "CacheDataset", "a later repetition has the elements of the first, not records of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    List<Chunk> rows = cache.rows();
    return rows != null
        ? new ListedDataset.Iterator(rows)
        : new Writer(input.iterator(context), cache);
  }

  /** Passes rows through and keeps them; at the end they become the cache. */
  private static final class Writer extends UnaryIterator {
    private static final int MERGE = 64;

    private final MemoryCache cache;
    private final List<Chunk> kept = new ArrayList<>();

    /** The last chunks, few rows each, that are still to be merged into one. */
    private final List<Chunk> small = new ArrayList<>();

    private boolean complete;

    Writer(ChunkIterator input, MemoryCache cache) {
      super(input);
      this.cache = cache;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (complete) {
        return null;
      }
      Chunk rows = input.next(maxRows);
      if (rows == null) {
        complete = true;
        merge();
        cache.complete(kept);
        return null;
      }
      keep(rows.withOrigins(Origins.NONE)); // another repetition's records
      return rows;
    }

    private void keep(Chunk rows) {
      if (rows.rows() >= MERGE) {
        merge();
        kept.add(rows);
        return;
      }
      small.add(rows);
      if (small.size() == MERGE) {
        merge();
      }
    }

    private void merge() {
      if (!small.isEmpty()) {
        kept.add(Chunk.concat(small));
        small.clear();
      }
    }
  }
}

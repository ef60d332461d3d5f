package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.MemoryCache;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.source.DatasetResourceOps;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The input; the rows of the first pass that is read to its end are kept in memory.
 *
 * @param where the node, for the error when the budget is exhausted
 */
public record CacheDataset(DatasetValue input, MemoryCache cache, String where)
    implements UnaryDataset {
  /** The ops; {@code clock} dates the lock files of caches on disk. */
  public static List<Op> ops(InstantSource clock) {
    return List.of(
        op(
            "CacheDataset(input_dataset: variant, filename: string)",
            in -> of(in, new MemoryCache(), clock)),
        op(
            "CacheDatasetV2(input_dataset: variant, filename: string, cache: resource)",
            in -> of(in, shared(in), clock)));
  }

  private static Op op(String signature, Function<OpArguments, DatasetValue> maker) {
    return DatasetOp.typed(signature)
        .stateful()
        .touches(Touch.PASSES_WRITE_FILES)
        .kernel(DatasetKernel.making(maker));
  }

  private static MemoryCache shared(OpArguments in) {
    return DatasetResourceOps.resourceOr(in.tensor("cache"), MemoryCache.class, new MemoryCache());
  }

  private static DatasetValue of(OpArguments in, MemoryCache cache, InstantSource clock) {
    DatasetValue input = in.dataset("input_dataset");
    String file = in.string("filename");
    return file.isEmpty()
        ? new CacheDataset(input, cache, in.where())
        : new FileCacheDataset(input, file, in.where(), clock);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "CacheDataset", "a later repetition has the elements of the first, not records of its own");
  }

  @Override
  public String iteratorName() {
    return "MemoryCacheImpl";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    List<Chunk> rows = cache.rows();
    return rows != null ? new InMemoryDataset.Iterator(rows) : new Writer(this, context);
  }

  /**
   * Passes rows through and collects them; at the end they become the cache. The first row that
   * exceeds the budget is an error, and the pass caches nothing from then on, since a cache without
   * that row would be wrong.
   */
  private static final class Writer extends UnaryIterator {
    private static final int MERGE = 64;

    private final MemoryCache cache;
    private final String where;
    private final CacheBudget.Share budget;
    private long bytes;
    private final List<Chunk> kept = new ArrayList<>();

    /** The last chunks of few rows, not merged yet. */
    private final List<Chunk> small = new ArrayList<>();

    /** The rows behind the failed one, of the chunk that exceeded the budget. */
    private final RowCursor behindFailedRow = new RowCursor();

    private boolean full;
    private boolean complete;

    Writer(CacheDataset dataset, IteratorContext context) {
      super(context.open(dataset.input));
      cache = dataset.cache;
      where = dataset.where;
      budget = CacheBudget.shareOf(context.step().resources());
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (!behindFailedRow.isEmpty()) {
        return behindFailedRow.take(Math.min(maxRows, behindFailedRow.left()));
      }
      if (complete) {
        return null;
      }
      Chunk rows = input.next(maxRows);
      if (rows == null) {
        complete = true;
        end();
      } else if (!full) {
        reserve(rows);
        keep(rows.withOrigins(Origins.NONE)); // in a later repetition they are other records
      }
      return rows;
    }

    private void end() {
      merge();
      if (!full && cache.complete(kept)) {
        bytes = 0; // the cache owns them until the task ends
      }
    }

    private void reserve(Chunk rows) {
      try {
        budget.take(rows.byteSize(), where);
        bytes += rows.byteSize();
      } catch (StatusException e) {
        full = true;
        release();
        if (rows.rows() > 1) {
          behindFailedRow.refill(rows.slice(1, rows.rows()));
        }
        throw e;
      }
    }

    @Override
    public void close() {
      super.close();
      release();
    }

    /** Releases the rows that did not become the cache. */
    private void release() {
      budget.giveBack(bytes);
      bytes = 0;
      kept.clear();
      small.clear();
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

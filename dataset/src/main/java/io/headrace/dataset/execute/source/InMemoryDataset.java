package io.headrace.dataset.execute.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.ExpectedFiles;
import io.headrace.dataset.execute.pass.Fingerprint;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.ReplicateOnSplit;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SelectedRows;
import io.headrace.dataset.execute.pass.SplitIterator;
import io.headrace.dataset.execute.pass.SplitRun;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows in memory; the splits are their indices.
 *
 * @param chunks the rows, in order
 * @param spec the types of the rows
 * @param use how workers share the rows
 */
public record InMemoryDataset(List<Chunk> chunks, ElementSpec spec, Use use)
    implements DatasetValue {
  /** How workers share the rows. */
  public enum Use {
    /** Each worker reads its splits. */
    SPLIT,
    /** Each worker reads its splits; the rows are file names. */
    SPLIT_FILES,
    /** Every worker reads all rows. */
    REPLICATED
  }

  public InMemoryDataset {
    chunks = List.copyOf(chunks);
  }

  public InMemoryDataset(List<Chunk> chunks, ElementSpec spec) {
    this(chunks, spec, Use.SPLIT);
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
    return context.splits().isEmpty() || use == Use.REPLICATED
        ? new Iterator(chunks)
        : new SplitIterator(context.splits().getFirst(), run -> rows(run, context.files()));
  }

  @Override
  public List<SplitSource> splitSources() {
    long fingerprint = new Fingerprint().add(chunks).value();
    return List.of(
        isOfFiles()
            ? SplitSource.ofFiles(fileNames(), fingerprint)
            : SplitSource.ofRows(cardinality(), fingerprint));
  }

  private boolean isOfFiles() {
    return use == Use.SPLIT_FILES
        && spec.types().equals(List.of(DataType.STRING))
        && spec.shapes().equals(List.of(Shape.SCALAR));
  }

  private List<String> fileNames() {
    List<String> names = new ArrayList<>();
    for (Chunk chunk : chunks) {
      for (int row = 0; row < chunk.rows(); row++) {
        names.add(new String(chunk.column(0).row(row).string(0), UTF_8));
      }
    }
    return names;
  }

  @Override
  public Lineage lineage() {
    return use == Use.REPLICATED ? ReplicateOnSplit.LINEAGE : Lineage.Told.SPLITS;
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    Chunk all = chunks.isEmpty() ? Chunk.of(0, List.of()) : Chunk.concat(chunks);
    return new SelectedRows(
        this,
        rows,
        indices ->
            all.gather(
                Arrays.stream(indices).mapToInt(Math::toIntExact).toArray(), indices.length));
  }

  /**
   * The rows of {@code run}. Splits with file names yield these names, whatever the list contains
   * now.
   */
  private Chunk rows(SplitRun run, ExpectedFiles expected) {
    if (isOfFiles() && !run.files().isEmpty()) {
      run.files().forEach(expected::expect);
      byte[][] names =
          run.files().stream().map(file -> file.name().getBytes(UTF_8)).toArray(byte[][]::new);
      Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(names.length), names);
      return Chunk.of(names.length, List.of(new Column.Stacked(tensor)));
    }
    if (run.first() < 0 || run.step() != 1 || run.last() >= cardinality()) {
      throw spec.error(
          StatusCode.INVALID_ARGUMENT,
          "there are %d splits, and split %d is given",
          cardinality(),
          run.last());
    }
    List<Chunk> found = new ArrayList<>();
    long begin = 0;
    for (Chunk chunk : chunks) {
      long from = Math.max(run.first(), begin);
      long to = Math.min(run.last() + 1, begin + chunk.rows());
      if (from < to) {
        found.add(chunk.slice((int) (from - begin), (int) (to - begin)));
      }
      begin += chunk.rows();
    }
    return Chunk.concat(found);
  }

  /** A pass over rows in memory. */
  public static final class Iterator implements ChunkIterator {
    private final List<Chunk> chunks;
    private int nextChunk;
    private final RowCursor rows = new RowCursor();
    private volatile boolean closed;

    public Iterator(List<Chunk> chunks) {
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

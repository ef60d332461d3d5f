package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.transform.BatchDataset.OnError;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pass over batches of rows. Batches of stacked columns are views. */
final class BatchIterator extends UnaryIterator {
  private final BatchDataset dataset;
  private final long size;
  private final List<Chunk> collected = new ArrayList<>();
  private long rows;
  private boolean ended;

  BatchIterator(BatchDataset dataset, ChunkIterator input) {
    super(input);
    this.dataset = dataset;
    this.size = dataset.size();
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    long owed = size > Integer.MAX_VALUE / maxRows ? Integer.MAX_VALUE : size * maxRows;
    while (rows < size && !ended) {
      collect((int) Math.min(owed - rows, Integer.MAX_VALUE));
    }
    if (rows >= size) {
      return batches((int) (rows / size));
    }
    if (rows > 0 && dataset.dropsRemainder() && dataset.isFusedWithMap()) {
      checkRemainder();
    }
    return rows == 0 || dataset.dropsRemainder() ? end() : remainder();
  }

  /** Without errors, every batch but the last has {@code size} rows. */
  @Override
  public long passOver(long batches) {
    return BatchDataset.passOver(input, size, dataset.dropsRemainder(), batches);
  }

  private void collect(int maxRows) {
    Chunk chunk;
    try {
      chunk = input.next(maxRows);
    } catch (StatusException e) {
      long done = rows + 1;
      drop();
      if (dataset.onError() == OnError.SKIPS_BATCH) {
        skipBatch(done);
      }
      throw e;
    }
    if (chunk == null) {
      ended = true;
    } else {
      collected.add(chunk);
      rows += chunk.rows();
    }
  }

  /**
   * Skips the rest of a batch whose first {@code done} rows are consumed; failures count as rows.
   */
  private void skipBatch(long done) {
    long left = size - done;
    while (left > 0 && !ended) {
      try {
        Chunk chunk = input.next((int) Math.min(left, Integer.MAX_VALUE));
        if (chunk == null) {
          ended = true;
        } else {
          left -= chunk.rows();
          dropped.add(chunk.origins());
        }
      } catch (StatusException _) {
        // The first failure is the batch's.
        left--;
      }
    }
  }

  private @Nullable Chunk end() {
    drop();
    return null;
  }

  /** Drops the collected rows. */
  private void drop() {
    collected.forEach(chunk -> dropped.add(chunk.origins()));
    clear();
  }

  private void clear() {
    collected.clear();
    rows = 0;
  }

  /**
   * Fails if the rows of a batch that is dropped do not fit together: TensorFlow adds the results
   * of a map to a batch one by one.
   */
  private void checkRemainder() {
    for (Column column : Chunk.concat(collected).columns()) {
      Shape first = column.row(0).shape();
      for (int i = 1; i < column.rows() && column instanceof Column.Listed; i++) {
        Shape shape = column.row(i).shape();
        if (shape.elements() != first.elements()) {
          drop();
          throw dataset
              .spec()
              .error(
                  StatusCode.INVALID_ARGUMENT,
                  "Cannot add tensor to the batch: number of elements does not match. Shapes are:"
                      + " [tensor]: %s, [batch]: %s",
                  shape,
                  first);
        }
      }
    }
  }

  private Chunk remainder() {
    int left = (int) rows;
    return batches(drain(), left, 1);
  }

  private Chunk batches(int count) {
    return batches(drain(), (int) size, count);
  }

  private Chunk drain() {
    Chunk all = Chunk.concat(collected);
    clear();
    return all;
  }

  /**
   * Makes {@code count} batches, or those before the first that fails; keeps the remaining rows.
   */
  private Chunk batches(Chunk all, int batchRows, int count) {
    boolean aligned = all.columns().stream().allMatch(c -> c instanceof Column.Stacked);
    if (aligned) {
      keep(all, batchRows * count);
      Chunk batches = Chunk.of(count, view(all.slice(0, batchRows * count), batchRows, count));
      return withOrigins(batches, all.origins(), batchRows);
    }
    List<Chunk> batches = new ArrayList<>(count);
    try {
      for (int i = 0; i < count; i++) {
        batches.add(Chunk.ofElement(copy(all.slice(i * batchRows, (i + 1) * batchRows))));
      }
    } catch (StatusException e) {
      if (batches.isEmpty()) {
        dropped.add(all.origins(), 0, batchRows);
        keep(all, batchRows);
        throw e;
      }
    }
    keep(all, batches.size() * batchRows);
    return withOrigins(Chunk.concat(batches), all.origins(), batchRows);
  }

  /** Attaches the origins of {@code rows} to the batches made of them. */
  private Chunk withOrigins(Chunk batches, Origins rows, int batchRows) {
    if (rows.isEmpty()) {
      return batches;
    }
    Origins.Builder united = new Origins.Builder();
    for (int i = 0; i < batches.rows(); i++) {
      united.addParts(rows, i * batchRows, (i + 1) * batchRows).endRow();
    }
    return dropped.joinTo(batches.withOrigins(united.build()));
  }

  private void keep(Chunk all, int from) {
    if (from < all.rows()) {
      collected.add(all.slice(from, all.rows()));
      rows = (long) all.rows() - from;
    }
  }

  private static List<Column> view(Chunk all, int batchRows, int count) {
    List<Column> columns = new ArrayList<>(all.columns().size());
    for (Column column : all.columns()) {
      Column.Stacked stacked = (Column.Stacked) column;
      columns.add(
          new Column.Stacked(
              stacked.tensor().reshape(stacked.rowShape().prepend(batchRows).prepend(count))));
    }
    return columns;
  }

  private List<Tensor> copy(Chunk batch) {
    List<Tensor> components = new ArrayList<>(batch.columns().size());
    for (int c = 0; c < batch.columns().size(); c++) {
      components.add(
          batch.column(c) instanceof Column.Stacked stacked
              ? stacked.tensor()
              : stackRows(batch.column(c), c));
    }
    return components;
  }

  /** The ways to batch tensors of one rank, and images, in Java's words. */
  private static String remedy(Shape first, Shape other) {
    if (first.rank() != other.rank() || first.rank() == 0) {
      return "";
    }
    boolean areImages = first.rank() == 3 && first.size(2) == other.size(2) && first.size(2) <= 4;
    return areImages
        ? " Images of different sizes are resized before (Images.resize, or ImageFolder.resized)."
        : " paddedBatch pads them, and raggedBatch takes them as they are.";
  }

  private Tensor stackRows(Column rows, int component) {
    List<Tensor> tensors = new ArrayList<>(rows.rows());
    for (int i = 0; i < rows.rows(); i++) {
      Tensor row = rows.row(i);
      if (i > 0 && !row.shape().equals(tensors.getFirst().shape())) {
        throw dataset
            .spec()
            .error(
                StatusCode.INVALID_ARGUMENT,
                "Cannot batch tensors with different shapes in component %d. First element had"
                    + " shape %s and element %d had shape %s.%s",
                component,
                tensors.getFirst().shape(),
                i,
                row.shape(),
                remedy(tensors.getFirst().shape(), row.shape()));
      }
      tensors.add(row);
    }
    return Column.stackRows(tensors);
  }
}

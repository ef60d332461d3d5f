package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.RecordPlaces;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tuples of the components of one element of each input; ends with the shortest. */
public record ZipDataset(List<DatasetValue> inputs) implements DatasetValue {
  public static final Op OP =
      DatasetOp.of(
          "ZipDataset(input_datasets: N * variant)",
          in -> new ZipDataset(in.datasets("input_datasets")),
          "N: int");

  @Override
  public List<DataType> outputTypes() {
    return inputs.stream().flatMap(input -> input.outputTypes().stream()).toList();
  }

  @Override
  public List<Shape> outputShapes() {
    return inputs.stream().flatMap(input -> input.outputShapes().stream()).toList();
  }

  @Override
  public long cardinality() {
    long least = INFINITE;
    for (DatasetValue input : inputs) {
      long rows = input.cardinality();
      if (rows == UNKNOWN) {
        return UNKNOWN;
      }
      if (rows != INFINITE) {
        least = least == INFINITE ? rows : Math.min(least, rows);
      }
    }
    return least;
  }

  @Override
  public List<SplitSource> splitSources() {
    return inputs.stream().flatMap(input -> input.splitSources().stream()).toList();
  }

  @Override
  public boolean touchesResources() {
    return inputs.stream().anyMatch(DatasetValue::touchesResources);
  }

  @Override
  public boolean changesResources() {
    return inputs.stream().anyMatch(DatasetValue::changesResources);
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    return new ZipDataset(inputs.stream().map(input -> input.select(rows)).toList());
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "ZipDataset",
        "which elements come together depends on the order of all elements, and each worker has an"
            + " order of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    boolean rowByRow =
        changesResources() && inputs.stream().filter(DatasetValue::touchesResources).count() > 1;
    List<IteratorContext> contexts = context.forEach(inputs);
    List<ChunkIterator> passes = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      passes.add(contexts.get(i).open(inputs.get(i)));
    }
    return new Iterator(passes, rowByRow);
  }

  private static final class Iterator implements ChunkIterator {
    private final List<ChunkIterator> inputs;
    private final List<RowCursor> rows;
    private final boolean rowByRow;
    private boolean ended;

    Iterator(List<ChunkIterator> inputs, boolean rowByRow) {
      this.inputs = inputs;
      this.rows = inputs.stream().map(_ -> new RowCursor()).toList();
      this.rowByRow = rowByRow;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (ended) {
        return null;
      }
      int count = rowByRow ? 1 : maxRows;
      @Nullable StatusException failure = null;
      for (int i = 0; i < inputs.size(); i++) {
        // A failure of one input consumes one row of each, so that the inputs stay aligned.
        failure = refill(i, failure == null ? count : 1, failure);
        if (ended) {
          return end();
        }
        count = rows.get(i).isEmpty() ? count : Math.min(count, rows.get(i).left());
      }
      if (failure != null) {
        rows.stream().filter(cursor -> !cursor.isEmpty()).forEach(cursor -> cursor.drop(1));
        throw failure;
      }
      return zip(count);
    }

    @Override
    public long passOver(long rows) {
      if (rowByRow) {
        return ChunkIterator.super.passOver(rows);
      }
      long least = rows;
      for (ChunkIterator input : inputs) {
        least = Math.min(least, input.passOver(rows));
      }
      ended = least < rows;
      return least;
    }

    private @Nullable StatusException refill(
        int i, int maxRows, @Nullable StatusException failure) {
      if (!rows.get(i).isEmpty()) {
        return failure;
      }
      try {
        Chunk chunk = inputs.get(i).next(maxRows);
        if (chunk == null) {
          ended = true;
        } else {
          rows.get(i).refill(chunk);
        }
        return failure;
      } catch (StatusException e) {
        return failure == null ? e : failure;
      }
    }

    private @Nullable Chunk end() {
      rows.forEach(RowCursor::clear);
      return null;
    }

    /** Joins the next rows. Their places are those of the first input that has any. */
    private Chunk zip(int count) {
      List<Column> columns = new ArrayList<>();
      RecordPlaces places = RecordPlaces.NONE;
      for (RowCursor cursor : rows) {
        Chunk taken = cursor.take(count);
        columns.addAll(taken.columns());
        places = places.isEmpty() ? taken.places() : places;
      }
      return Chunk.of(count, columns).withPlaces(places);
    }

    @Override
    public void close() {
      inputs.forEach(ChunkIterator::close);
    }
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The elements of one dataset, followed by those of another. */
public record ConcatenateDataset(DatasetValue first, DatasetValue second, List<Shape> outputShapes)
    implements DatasetValue {
  public static final Op OP =
      DatasetOp.of(
          "ConcatenateDataset(input_dataset: variant, another_dataset: variant)",
          ConcatenateDataset::of);

  private static ConcatenateDataset of(OpArguments in) {
    DatasetValue first = in.dataset("input_dataset");
    DatasetValue second = in.dataset("another_dataset");
    if (!first.outputTypes().equals(second.outputTypes())) {
      throw in.invalid(
          "input dataset and dataset to concatenate have different output_types %s and %s",
          ElementSpec.names(first.outputTypes()), ElementSpec.names(second.outputTypes()));
    }
    return new ConcatenateDataset(
        first, second, ElementSpec.common(first.outputShapes(), second.outputShapes()));
  }

  @Override
  public List<DataType> outputTypes() {
    return first.outputTypes();
  }

  @Override
  public long cardinality() {
    long a = first.cardinality();
    long b = second.cardinality();
    if (a == INFINITE || b == INFINITE) {
      return INFINITE;
    }
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : a + b;
  }

  @Override
  public List<SplitSource> splitSources() {
    return Stream.of(first, second).flatMap(input -> input.splitSources().stream()).toList();
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
  public DatasetValue select(RowIndices rows) {
    return new SelectedConcatenation(first, second, outputShapes, rows);
  }

  @Override
  public Lineage lineage() {
    return first.lineage().or(second.lineage());
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private final List<IteratorContext> contexts;
    private final DroppedOrigins dropped = new DroppedOrigins();
    private volatile ChunkIterator current;
    private volatile boolean closed;
    private boolean inSecond;

    Iterator(IteratorContext context) {
      this.contexts = context.forEach(List.of(first, second));
      this.current = contexts.getFirst().open(first);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      Chunk rows = current.next(maxRows);
      if (rows == null && !inSecond) {
        if (!closed) {
          dropped.add(current.rest());
        }
        moveOn();
        rows = current.next(maxRows);
      }
      if (rows != null && rows.origins().isEmpty()) {
        contexts.getFirst().progress().readUncounted();
      }
      return rows == null ? null : dropped.joinTo(rows);
    }

    @Override
    public Origins rest() {
      return dropped.takeWithRestOf(current);
    }

    @Override
    public long skip(long rows) {
      long skipped = current.skip(rows);
      if (skipped == rows || inSecond) {
        return skipped;
      }
      moveOn();
      return skipped + current.skip(rows - skipped);
    }

    @Override
    public long passOver(long rows) {
      long passed = current.passOver(rows);
      if (passed == rows || inSecond) {
        return passed;
      }
      moveOn();
      return passed + current.passOver(rows - passed);
    }

    private void moveOn() {
      inSecond = true;
      current.close();
      current = contexts.getLast().open(second);
      if (closed) {
        current.close();
      }
    }

    @Override
    public void close() {
      closed = true;
      current.close();
    }
  }
}

package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slices of the input's elements along their first dimension. */
record UnbatchDataset(DatasetValue input, ElementSpec spec) implements UnaryDataset {
  static final Op OP =
      DatasetOp.of(
          "UnbatchDataset(input_dataset: variant)",
          in -> new UnbatchDataset(in.dataset("input_dataset"), in.spec()));

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
    long batches = input.cardinality();
    Shape first = input.outputShapes().getFirst();
    if (batches <= 0) {
      return batches;
    }
    return first.rank() > 0 && first.size(0) >= 0 ? batches * first.size(0) : UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(input.iterator(context));
  }

  private static final class Iterator extends UnaryIterator {
    private final RowCursor rows = new RowCursor();

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (rows.isEmpty()) {
        Chunk batch = input.next(1);
        if (batch == null) {
          return null;
        }
        refill(batch.row(0));
      }
      return rows.take(Math.min(maxRows, rows.left()));
    }

    private void refill(List<Tensor> components) {
      List<Column> columns = new ArrayList<>(components.size());
      for (int i = 0; i < components.size(); i++) {
        check(components, i);
        columns.add(new Column.Stacked(components.get(i)));
      }
      int count = columns.isEmpty() ? 0 : columns.getFirst().rows();
      if (count > 0) {
        rows.refill(Chunk.of(count, columns));
      }
    }

    private static void check(List<Tensor> components, int i) {
      Shape first = components.getFirst().shape();
      Shape shape = components.get(i).shape();
      if (shape.rank() < 1) {
        throw StatusException.invalidArgument("Cannot unbatch component %d: it is a scalar", i);
      }
      if (shape.size(0) != first.size(0)) {
        throw StatusException.invalidArgument(
            "Input element must have the same batch size in each component. Component 0 had size"
                + " %d but component %d had size, %d.",
            first.size(0), i, shape.size(0));
      }
    }
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FlatMappingDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.SplitRow;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The slices of the input's elements along their first dimension. */
public record UnbatchDataset(DatasetValue input, ElementSpec spec)
    implements UnaryDataset.Declared {
  public static final Op OP =
      DatasetOp.of(
          "UnbatchDataset(input_dataset: variant)",
          in -> new UnbatchDataset(in.dataset("input_dataset"), in.spec()));

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
  public List<SplitSource> splitSources() {
    return input.splitSources().stream().map(SplitSource::asGrouped).toList();
  }

  @Override
  public Lineage lineage() {
    return FlatMappingDataset.ofRecords("UnbatchDataset", input.lineage());
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(spec, context.open(input), context);
  }

  private static final class Iterator extends UnaryIterator {
    private final ElementSpec spec;
    private final IteratorContext context;
    private final RowCursor rows = new RowCursor();

    Iterator(ElementSpec spec, ChunkIterator input, IteratorContext context) {
      super(input);
      this.spec = spec;
      this.context = context;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (rows.isEmpty()) {
        Chunk batch = input.next(1);
        if (batch == null) {
          return null;
        }
        SplitRow split = SplitRow.of(batch.origins());
        try {
          refill(batch.row(0), split);
        } catch (StatusException e) {
          dropped.add(split.rest(0));
          throw e;
        }
      }
      return rows.take(Math.min(maxRows, rows.left()));
    }

    private void refill(List<Tensor> components, SplitRow split) {
      List<Column> columns = new ArrayList<>(components.size());
      for (int i = 0; i < components.size(); i++) {
        check(components, i);
        columns.add(new Column.Stacked(components.get(i)));
      }
      int count = columns.isEmpty() ? 0 : columns.getFirst().rows();
      dropped.add(split.rest(count));
      Chunk left = count == 0 ? null : named(Chunk.of(count, columns), split);
      if (left != null) {
        rows.refill(dropped.joinTo(left));
      }
    }

    /** Attaches origins, and leaves out the records that readers have received. */
    private @Nullable Chunk named(Chunk all, SplitRow split) {
      if (!split.isTold()) {
        return all;
      }
      Chunk named =
          all.withOrigins(
              new Origins.Builder()
                  .addRecords(all.rows(), split.source(), split.split(), 0)
                  .build());
      LongSet received = context.received(split.source(), split.split());
      if (received.isEmpty()) {
        return named;
      }
      int[] left =
          IntStream.range(0, all.rows()).filter(record -> !received.contains(record)).toArray();
      return left.length == 0 ? null : named.gather(left, left.length);
    }

    @Override
    public Origins rest() {
      SplitRow.addEnds(input.rest(), dropped);
      return dropped.take();
    }

    private void check(List<Tensor> components, int i) {
      Shape first = components.getFirst().shape();
      Shape shape = components.get(i).shape();
      if (shape.rank() < 1) {
        throw spec.error(
            StatusCode.INVALID_ARGUMENT, "Cannot unbatch component %d: it is a scalar", i);
      }
      if (shape.size(0) != first.size(0)) {
        throw spec.error(
            StatusCode.INVALID_ARGUMENT,
            "Input element must have the same batch size in each component. Component 0 had size"
                + " %d but component %d had size, %d.",
            first.size(0),
            i,
            shape.size(0));
      }
    }
  }
}

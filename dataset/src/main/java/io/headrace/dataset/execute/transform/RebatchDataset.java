package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slices of the input's batches, regrouped into batches of {@code sizes} in turn. */
public record RebatchDataset(
    DatasetValue input, List<Long> sizes, boolean dropsRemainder, ElementSpec spec)
    implements UnaryDataset.Declared {
  public static final Op OP =
      DatasetOp.define(
              "RebatchDatasetV2(input_dataset: variant, batch_sizes: int64, drop_remainder: bool)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .kernel(DatasetKernel.making(RebatchDataset::of));

  private static RebatchDataset of(OpArguments in) {
    Tensor sizes = in.tensor("batch_sizes");
    if (sizes.dtype() != DataType.INT64 || sizes.shape().rank() > 1 || sizes.elements() == 0) {
      throw in.invalid("`batch_sizes` must be a scalar or a vector, and is %s", sizes);
    }
    List<Long> list = new ArrayList<>();
    for (long size : sizes.integers()) {
      if (size < 0) {
        throw in.invalid("batch sizes must be at least 0, and one is %d", size);
      }
      list.add(size);
    }
    if (list.stream().allMatch(size -> size == 0)) {
      throw in.invalid("a batch size must be greater than zero, and all are 0");
    }
    return new RebatchDataset(
        in.dataset("input_dataset"), list, in.bool("drop_remainder"), in.spec());
  }

  @Override
  public long cardinality() {
    return input.cardinality() == INFINITE ? INFINITE : UNKNOWN;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(), "RebatchDataset", "it cuts elements into parts of which some may be lost");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(new UnbatchDataset(input, spec)));
  }

  private final class Iterator extends UnaryIterator {
    private int turn;
    private boolean ended;
    private @Nullable Chunk last;

    Iterator(ChunkIterator slices) {
      super(slices);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (ended) {
        return null;
      }
      long size = sizes.get(turn);
      List<Chunk> parts = new ArrayList<>();
      long rows = 0;
      while (rows < size && !ended) {
        Chunk part = input.next((int) Math.min(size - rows, Integer.MAX_VALUE));
        ended = part == null;
        if (part != null) {
          parts.add(part);
          rows += part.rows();
        }
      }
      if (ended && (rows == 0 || dropsRemainder)) {
        return null;
      }
      turn = (turn + 1) % sizes.size();
      return size == 0 ? empty() : stack(Chunk.concat(parts));
    }

    private Chunk stack(Chunk slices) {
      last = slices;
      List<Tensor> components = new ArrayList<>();
      for (int i = 0; i < slices.columns().size(); i++) {
        checkShapes(slices.column(i), i);
        components.add(Column.stack(slices.column(i)).tensor());
      }
      return Chunk.ofElement(components);
    }

    private void checkShapes(Column column, int component) {
      if (column instanceof Column.Stacked) {
        return;
      }
      Shape first = column.row(0).shape();
      for (int row = 1; row < column.rows(); row++) {
        Shape other = column.row(row).shape();
        if (!other.equals(first)) {
          throw spec.error(
              StatusCode.FAILED_PRECONDITION,
              "slices of different shapes cannot be in one batch: in component %d, the first has"
                  + " shape %s, and slice %d has shape %s",
              component,
              first,
              row,
              other);
        }
      }
    }

    /** An empty batch, with the row shape of the slices seen so far. */
    private Chunk empty() {
      List<Tensor> components = new ArrayList<>();
      for (int i = 0; i < spec.types().size(); i++) {
        Shape row =
            last == null ? spec.shapes().get(i).dropFirst(1) : last.column(i).row(0).shape();
        if (!row.isKnown()) {
          throw spec.error(
              StatusCode.INVALID_ARGUMENT,
              "an empty batch of component %d cannot be made: its shape is %s",
              i,
              row);
        }
        DataType type = spec.types().get(i);
        components.add(Tensor.wrap(type, row.prepend(0), type.kind().newArray(0)));
      }
      return Chunk.ofElement(components);
    }
  }
}

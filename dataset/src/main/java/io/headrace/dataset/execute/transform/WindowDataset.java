package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Windows: for each component a dataset of {@code size} elements of the input, {@code stride}
 * apart. The next window starts {@code shift} elements later.
 */
public record WindowDataset(
    DatasetValue input,
    long size,
    long shift,
    long stride,
    boolean dropsRemainder,
    ElementSpec spec)
    implements UnaryDataset.Declared {
  public static final Op OP =
      DatasetOp.typed(
              "WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64,"
                  + " drop_remainder: bool)")
          .remark(
              "An AssertCardinalityDataset before it that fails at its end fails the window, which"
                  + " TensorFlow leaves out.")
          .kernel(
              DatasetKernel.making(in ->
                  new WindowDataset(
                      in.dataset("input_dataset"),
                      in.positive("size"),
                      in.positive("shift"),
                      in.positive("stride"),
                      in.bool("drop_remainder"),
                      in.spec())));

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (rows < 0) {
      return rows;
    }
    if (!dropsRemainder) {
      return rows / shift + (rows % shift == 0 ? 0 : 1);
    }
    long span = (size - 1) * stride + 1;
    return rows < span ? 0 : (rows - span) / shift + 1;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "WindowDataset",
        "the elements of a window are datasets of their own, which do not tell");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  /** A row of the input, or its failure. */
  private record Slot(@Nullable Chunk row, @Nullable StatusException failure) {}

  private final class Iterator extends UnaryIterator {
    /** The rows from the start of the next window on. */
    private final List<Slot> buffer = new ArrayList<>();

    private boolean inputEnded;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      long span = (size - 1) * stride + 1;
      while (!inputEnded && buffer.size() < span) {
        read(span - buffer.size());
      }
      if (buffer.isEmpty() || (dropsRemainder && buffer.size() < span)) {
        return null;
      }
      List<Slot> window = new ArrayList<>();
      for (long i = 0; i < buffer.size() && i < span; i += stride) {
        window.add(buffer.get((int) i));
      }
      slide();
      return Chunk.ofElement(datasets(window));
    }

    private void read(long maxRows) {
      try {
        Chunk chunk = input.next((int) Math.min(maxRows, 1024));
        if (chunk == null) {
          inputEnded = true;
          return;
        }
        for (int i = 0; i < chunk.rows(); i++) {
          buffer.add(new Slot(chunk.slice(i, i + 1), null));
        }
      } catch (StatusException e) {
        buffer.add(new Slot(null, e));
      }
    }

    private void slide() {
      long dropped = Math.min(shift, buffer.size());
      buffer.subList(0, (int) dropped).clear();
      for (long left = shift - dropped; left > 0 && !inputEnded; ) {
        left -= skip(input, left);
      }
    }

    /** Skips rows that belong to no window, failures included. */
    private long skip(ChunkIterator rows, long count) {
      try {
        Chunk chunk = rows.next((int) Math.min(count, 1024));
        inputEnded = chunk == null;
        return chunk == null ? 0 : chunk.rows();
      } catch (StatusException _) {
        return 1;
      }
    }

    private List<Tensor> datasets(List<Slot> window) {
      List<Chunk> rows = new ArrayList<>(window.size());
      for (Slot slot : window) {
        if (slot.failure != null) {
          throw slot.failure;
        }
        if (slot.row != null) {
          rows.add(slot.row);
        }
      }
      Chunk all = Chunk.concat(rows);
      List<Tensor> datasets = new ArrayList<>();
      for (int c = 0; c < all.columns().size(); c++) {
        datasets.add(Tensor.variant(component(all.column(c), c)));
      }
      return datasets;
    }

    private DatasetValue component(Column column, int index) {
      DatasetValue rows = WindowDataset.this.input;
      return new InMemoryDataset(
          List.of(Chunk.of(column.rows(), List.of(column))),
          ElementSpec.of(
              spec.node(), rows.outputTypes().get(index), rows.outputShapes().get(index)));
    }
  }
}

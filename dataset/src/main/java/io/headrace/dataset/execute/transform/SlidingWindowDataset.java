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
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Batches that overlap: {@code size} elements of the input, {@code stride} apart, stacked. The next
 * batch starts {@code shift} elements later. An element that fails belongs to no batch.
 */
public record SlidingWindowDataset(
    DatasetValue input,
    long size,
    long shift,
    long stride,
    boolean dropsRemainder,
    ElementSpec spec)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.define(
              "SlidingWindowDataset(input_dataset: variant, window_size: int64,"
                  + " window_shift: int64, window_stride: int64)")
          .attrs(
              "drop_remainder: bool = true",
              "output_types: list(type)",
              "output_shapes: list(shape)")
          .kernel(
              DatasetKernel.making(in ->
                  new SlidingWindowDataset(
                      in.dataset("input_dataset"),
                      in.positive("window_size"),
                      in.positive("window_shift"),
                      in.positive("window_stride"),
                      in.attrs().bool("drop_remainder"),
                      in.spec())));

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  /** TensorFlow's estimate, which counts starts of windows. */
  @Override
  public long cardinality() {
    long rows = input.cardinality();
    if (rows < 0) {
      return rows;
    }
    return rows / shift + (rows % shift == 0 || dropsRemainder ? 0 : 1);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(), "SlidingWindowDataset", "an element may be part of several windows");
  }

  @Override
  public String iteratorName() {
    return "Slide";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  private final class Iterator extends UnaryIterator {
    private static final int MAX_ROWS = 1024;

    /** The elements from the start of the next window on, a row each. */
    private final List<Chunk> buffer = new ArrayList<>();

    private boolean inputEnded;

    /** Elements to skip before the next window begins. */
    private long owed;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      long span = (size - 1) * stride + 1;
      while (owed > 0 && !inputEnded) {
        Chunk skipped = read(owed);
        owed -= skipped == null ? 0 : skipped.rows();
      }
      while (buffer.size() < span && !inputEnded) {
        Chunk rows = read(span - buffer.size());
        for (int i = 0; rows != null && i < rows.rows(); i++) {
          buffer.add(rows.slice(i, i + 1));
        }
      }
      if (buffer.isEmpty() || (buffer.size() < span && dropsRemainder)) {
        return null;
      }
      List<Chunk> window = new ArrayList<>();
      for (long i = 0; i < buffer.size(); i += stride) {
        window.add(buffer.get((int) i));
      }
      long dropped = Math.min(shift, buffer.size());
      buffer.subList(0, (int) dropped).clear();
      owed = shift - dropped;
      return Chunk.ofElement(stacked(window));
    }

    private @Nullable Chunk read(long maxRows) {
      Chunk rows = input.next((int) Math.min(maxRows, MAX_ROWS));
      inputEnded = rows == null;
      return rows;
    }

    private List<Tensor> stacked(List<Chunk> window) {
      List<Tensor> components = new ArrayList<>();
      for (int c = 0; c < window.getFirst().columns().size(); c++) {
        List<Tensor> rows = new ArrayList<>();
        for (Chunk row : window) {
          Tensor next = row.column(c).row(0);
          if (!rows.isEmpty() && !next.shape().equals(rows.getFirst().shape())) {
            throw spec.error(
                StatusCode.INVALID_ARGUMENT,
                "Cannot batch tensors with different shapes in component %d. First element had"
                    + " shape %s and element %d had shape %s.",
                c,
                rows.getFirst().shape(),
                rows.size(),
                next.shape());
          }
          rows.add(next);
        }
        components.add(Column.stackRows(rows));
      }
      return components;
    }
  }
}

package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pass over padded batches, one per call. */
final class PaddedBatchIterator extends UnaryIterator {
  private final PaddedBatchDataset dataset;
  private final List<Chunk> collected = new ArrayList<>();
  private long rows;
  private boolean ended;

  PaddedBatchIterator(PaddedBatchDataset dataset, ChunkIterator input) {
    super(input);
    this.dataset = dataset;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    while (rows < dataset.size() && !ended) {
      collect();
    }
    boolean partial = rows < dataset.size();
    if (rows == 0 || (partial && dataset.dropsRemainder())) {
      drop();
      return null;
    }
    Chunk batch = Chunk.concat(collected);
    clear();
    try {
      return withOrigin(Chunk.ofElement(pad(batch)), batch.origins());
    } catch (StatusException e) {
      dropped.add(batch.origins());
      throw e;
    }
  }

  private List<Tensor> pad(Chunk batch) {
    List<Tensor> components = new ArrayList<>();
    for (int c = 0; c < batch.columns().size(); c++) {
      components.add(pad(batch.column(c), c));
    }
    return components;
  }

  private Chunk withOrigin(Chunk batch, Origins rowOrigins) {
    return rowOrigins.isEmpty()
        ? batch
        : dropped.joinTo(
            batch.withOrigins(new Origins.Builder().addAllParts(rowOrigins).endRow().build()));
  }

  /** Drops the collected rows. */
  private void drop() {
    collected.forEach(chunk -> dropped.add(chunk.origins()));
    clear();
  }

  /** Without errors, every batch but the last has {@code size} rows. */
  @Override
  public long passOver(long batches) {
    return BatchDataset.passOver(input, dataset.size(), dataset.dropsRemainder(), batches);
  }

  private void collect() {
    try {
      Chunk chunk = input.next((int) Math.min(dataset.size() - rows, Integer.MAX_VALUE));
      if (chunk == null) {
        ended = true;
      } else {
        collected.add(chunk);
        rows += chunk.rows();
      }
    } catch (StatusException e) {
      drop();
      throw e;
    }
  }

  private void clear() {
    collected.clear();
    rows = 0;
  }

  private Tensor pad(Column column, int component) {
    long[] sizes = paddedSizes(column, component);
    Shape rowShape = Shape.of(sizes);
    Shape shape = rowShape.prepend(column.rows());
    if (column instanceof Column.Stacked stacked && stacked.rowShape().equals(rowShape)) {
      return stacked.tensor();
    }
    Object array = TensorLimit.allocate(column.dtype(), shape);
    fill(column.dtype().kind(), array, shape.elements(), dataset.paddingValues().get(component));
    for (int i = 0; i < column.rows(); i++) {
      copy(column.row(i), array, i * rowShape.elements(), sizes);
    }
    return Tensor.wrap(column.dtype(), shape, array);
  }

  private long[] paddedSizes(Column column, int component) {
    Shape padded = dataset.paddedShapes().get(component);
    long[] sizes = padded.dimensions();
    for (int i = 0; i < column.rows(); i++) {
      Shape shape = column.row(i).shape();
      if (shape.rank() != padded.rank()) {
        throw dataset
            .spec()
            .error(
                StatusCode.INVALID_ARGUMENT,
                "All elements in a batch must have the same rank as the padded shape for"
                    + " component%d: expected rank %d but got element with rank %d",
                component,
                padded.rank(),
                shape.rank());
      }
      for (int axis = 0; axis < sizes.length; axis++) {
        sizes[axis] = padded(padded.size(axis), sizes[axis], shape.size(axis), component, axis);
      }
    }
    for (int axis = 0; axis < sizes.length; axis++) {
      sizes[axis] = Math.max(0, sizes[axis]);
    }
    return sizes;
  }

  private long padded(long asked, long soFar, long size, int component, int axis) {
    if (asked >= 0 && size > asked) {
      throw dataset
          .spec()
          .error(
              StatusCode.DATA_LOSS,
              "Attempted to pad to a smaller size than the input element: dimension %d of component"
                  + " %d is %d and is to be padded to %d.",
              axis,
              component,
              size,
              asked);
    }
    return asked >= 0 ? asked : Math.max(soFar, size);
  }

  private static void fill(ElementKind kind, Object array, int elements, Tensor value) {
    switch (array) {
      case byte[] a -> Arrays.fill(a, value.bytes()[0]);
      case short[] a -> Arrays.fill(a, value.shorts()[0]);
      case int[] a -> Arrays.fill(a, value.ints()[0]);
      case long[] a -> Arrays.fill(a, value.longs()[0]);
      case Object[] a -> Arrays.fill(a, ((Object[]) TensorMemory.array(value.compact()))[0]);
      default -> {
        for (int i = 0; i < elements; i++) {
          kind.copy(TensorMemory.array(value), TensorMemory.offset(value), array, i, 1);
        }
      }
    }
  }

  /** Copies {@code row} to the corner of a block of {@code sizes} that starts at {@code at}. */
  private static void copy(Tensor row, Object array, int at, long[] sizes) {
    if (row.elements() == 0) {
      return;
    }
    int rank = sizes.length;
    int run = rank == 0 ? 1 : (int) row.shape().size(rank - 1);
    ElementKind kind = row.dtype().kind();
    for (int from = 0; from < row.elements(); from += run) {
      kind.copy(
          TensorMemory.array(row),
          TensorMemory.offset(row) + from,
          array,
          at + target(row, from, sizes),
          run);
    }
  }

  /** The offset of element {@code index} of {@code row} in a block of {@code sizes}. */
  private static int target(Tensor row, int index, long[] sizes) {
    int rest = index;
    int offset = 0;
    int stride = 1;
    for (int axis = sizes.length - 1; axis >= 0; axis--) {
      int size = (int) row.shape().size(axis);
      offset += (rest % size) * stride;
      rest /= size;
      stride *= (int) sizes[axis];
    }
    return offset;
  }
}

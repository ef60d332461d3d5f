package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.kernels.sparse.TensorVariant;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Batches of {@code size} elements, each as one sparse tensor of all values, serialized as by
 * SerializeSparse; elements may differ in shape.
 *
 * @param input the elements, of one component
 * @param size the batch size; the last batch may be smaller
 * @param rowShape the maximal shape of an element; an unknown dimension takes the largest of the
 *     batch
 */
public record DenseToSparseBatchDataset(DatasetValue input, long size, Shape rowShape)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.define(
              "DenseToSparseBatchDataset(input_dataset: variant, batch_size: int64,"
                  + " row_shape: int64)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .kernel(DatasetKernel.making(DenseToSparseBatchDataset::of));

  /** Indices, values and shape. */
  private static final int PARTS = 3;

  private static DatasetValue of(OpArguments in) {
    DatasetValue input = in.dataset("input_dataset");
    if (input.outputTypes().size() != 1) {
      throw in.invalid(
          "DenseToSparseBatchDataset only supports inputs with a single component, and there are"
              + " %d",
          input.outputTypes().size());
    }
    Tensor sizes = in.tensor("row_shape");
    if (sizes.shape().rank() != 1) {
      throw in.invalid("row_shape must be a vector, and is %s", sizes);
    }
    return new DenseToSparseBatchDataset(
        input, in.positive("batch_size"), Shape.of(sizes.integers()));
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.VARIANT);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(rowShape.prepend(Shape.UNKNOWN_DIMENSION));
  }

  @Override
  public long cardinality() {
    long rows = input.cardinality();
    return rows < 0 ? rows : rows / size + (rows % size == 0 ? 0 : 1);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "DenseToSparseBatchDataset",
        "it does not tell which elements a batch is made of");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  private final class Iterator extends UnaryIterator {
    private final RowCursor rows = new RowCursor();

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      List<Tensor> batch = new ArrayList<>();
      while (batch.size() < size) {
        if (rows.isEmpty()) {
          Chunk chunk = input.next((int) Math.min(size - batch.size(), Integer.MAX_VALUE));
          if (chunk == null) {
            break;
          }
          rows.refill(chunk);
        }
        Tensor row = rows.take(1).row(0).getFirst();
        check(row.shape());
        batch.add(row);
      }
      return batch.isEmpty() ? null : Chunk.ofElement(List.of(packed(batch)));
    }

    private void check(Shape shape) {
      if (shape.rank() != rowShape.rank()) {
        throw StatusException.invalidArgument(
            "Input element had shape (%s) that is incompatible with the row shape (%s).",
            shape, rowShape);
      }
      for (int axis = 0; axis < shape.rank(); axis++) {
        if (rowShape.size(axis) >= 0 && shape.size(axis) > rowShape.size(axis)) {
          throw StatusException.of(
              StatusCode.DATA_LOSS,
              "Input element had shape (%s) that is larger than the row shape (%s).",
              shape,
              rowShape);
        }
      }
    }

    private Tensor packed(List<Tensor> batch) {
      Object[] parts = {
        new TensorVariant(indices(batch)),
        new TensorVariant(values(batch)),
        new TensorVariant(Tensor.vector(denseShape(batch)))
      };
      return Tensor.wrap(DataType.VARIANT, Shape.of(PARTS), parts);
    }

    private long[] denseShape(List<Tensor> batch) {
      long[] sizes = rowShape.prepend(batch.size()).dimensions();
      for (int axis = 0; axis < rowShape.rank(); axis++) {
        for (Tensor row : rowShape.size(axis) < 0 ? batch : List.<Tensor>of()) {
          sizes[axis + 1] = Math.max(sizes[axis + 1], row.shape().size(axis));
        }
      }
      return sizes;
    }

    private Tensor indices(List<Tensor> batch) {
      int rank = rowShape.rank();
      Shape shape = Shape.of(count(batch), rank + 1);
      long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
      int at = 0;
      for (int i = 0; i < batch.size(); i++) {
        Shape own = batch.get(i).shape();
        for (int j = 0; j < batch.get(i).elements(); j++) {
          indices[at] = i;
          int rest = j;
          for (int axis = rank - 1; axis >= 0; axis--) {
            indices[at + 1 + axis] = rest % own.size(axis);
            rest /= (int) own.size(axis);
          }
          at += rank + 1;
        }
      }
      return Tensor.wrap(DataType.INT64, shape, indices);
    }

    private Tensor values(List<Tensor> batch) {
      DataType dtype = batch.getFirst().dtype();
      Shape shape = Shape.of(count(batch));
      Object values = TensorLimit.allocate(dtype, shape);
      int at = 0;
      for (Tensor row : batch) {
        dtype
            .kind()
            .copy(TensorMemory.array(row), TensorMemory.offset(row), values, at, row.elements());
        at += row.elements();
      }
      return Tensor.wrap(dtype, shape, values);
    }

    private static long count(List<Tensor> batch) {
      return batch.stream().mapToLong(Tensor::elements).sum();
    }
  }
}

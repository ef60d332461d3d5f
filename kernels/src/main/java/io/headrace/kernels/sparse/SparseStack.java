package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/**
 * Stacks sparse tensors into one along new outermost dimensions.
 *
 * @param parts the tensors, at least one
 * @param batch the new dimensions, with as many elements as there are parts
 * @param dtype the dtype of the values
 * @param stop checked before each part
 */
record SparseStack(List<SparseTensor> parts, Shape batch, DataType dtype, Cancellation stop) {
  /**
   * The new dimensions, then the largest size of each other one; INVALID_ARGUMENT if ranks differ.
   */
  Tensor shape() {
    int rank = parts.getFirst().rank();
    int outer = batch.rank();
    long[] sizes = Arrays.copyOf(batch.dimensions(), outer + rank);
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).rank() != rank) {
        throw invalidArgument(
            "Inconsistent shape across SparseTensors: rank prior to SparseTensor[%d] was: %d but"
                + " rank of SparseTensor[%d] is: %d",
            i, rank, i, parts.get(i).rank());
      }
      for (int axis = 0; axis < rank; axis++) {
        sizes[outer + axis] = Math.max(sizes[outer + axis], parts.get(i).size(axis));
      }
    }
    return Tensor.vector(sizes);
  }

  Tensor indices() {
    int outer = batch.rank();
    int rank = outer + parts.getFirst().rank();
    long count = parts.stream().mapToLong(SparseTensor::count).sum();
    Shape shape = Shape.of(count, rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int at = 0;
    for (int i = 0; i < parts.size(); i++) {
      stop.check();
      SparseTensor part = parts.get(i);
      for (int j = 0; j < part.count(); j++) {
        int rest = i;
        for (int axis = outer - 1; axis >= 0; axis--) {
          indices[at + axis] = rest % batch.size(axis);
          rest /= (int) batch.size(axis);
        }
        for (int axis = 0; axis < part.rank(); axis++) {
          indices[at + outer + axis] = part.index(j, axis);
        }
        at += rank;
      }
    }
    return Tensor.wrap(DataType.INT64, shape, indices);
  }

  Tensor values() {
    Shape shape = Shape.of(parts.stream().mapToLong(SparseTensor::count).sum());
    Object values = TensorLimit.allocate(dtype, shape);
    int at = 0;
    for (SparseTensor part : parts) {
      Tensor own = part.values();
      dtype
          .kind()
          .copy(TensorMemory.array(own), TensorMemory.offset(own), values, at, own.elements());
      at += own.elements();
    }
    return Tensor.wrap(dtype, shape, values);
  }
}

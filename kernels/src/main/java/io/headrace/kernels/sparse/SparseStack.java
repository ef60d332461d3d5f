package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.List;

/**
 * Sparse tensors stacked into one, along new outermost dimensions.
 *
 * @param parts the tensors, of which there is at least one
 * @param arranged the sizes of the new dimensions, of as many elements as there are parts
 * @param dtype what the values are
 */
record SparseStack(List<SparseInput> parts, Shape arranged, DataType dtype, Cancellation stop) {
  /** The sizes of the new dimensions, and the largest of each other one. */
  Tensor shape() {
    int rank = parts.getFirst().rank();
    int outer = arranged.rank();
    long[] sizes = Arrays.copyOf(arranged.dimensions(), outer + rank);
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
    int outer = arranged.rank();
    int rank = outer + parts.getFirst().rank();
    long count = parts.stream().mapToLong(SparseInput::count).sum();
    Shape shape = Shape.of(count, rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int at = 0;
    for (int i = 0; i < parts.size(); i++) {
      stop.check();
      SparseInput part = parts.get(i);
      for (int j = 0; j < part.count(); j++) {
        int rest = i;
        for (int axis = outer - 1; axis >= 0; axis--) {
          indices[at + axis] = rest % arranged.size(axis);
          rest /= (int) arranged.size(axis);
        }
        for (int axis = 0; axis < part.rank(); axis++) {
          indices[at + outer + axis] = part.index(j, axis);
        }
        at += rank;
      }
    }
    return Tensor.of(DataType.INT64, shape, indices);
  }

  Tensor values() {
    Shape shape = Shape.of(parts.stream().mapToLong(SparseInput::count).sum());
    Object values = TensorLimit.allocate(dtype, shape);
    int at = 0;
    for (SparseInput part : parts) {
      Tensor own = part.values();
      dtype.kind().copy(own.array(), own.offset(), values, at, own.elements());
      at += own.elements();
    }
    return Tensor.of(dtype, shape, values);
  }
}

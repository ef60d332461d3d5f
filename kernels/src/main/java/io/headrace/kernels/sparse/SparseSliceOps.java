package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** SparseSlice, the values within a box with indices relative to its start, and its gradient. */
final class SparseSliceOps {
  private SparseSliceOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64)"
                    + " -> (output_indices: int64, output_values: T, output_shape: int64)")
            .attrs("T: type")
            .shape(SparseSliceOps::sliceRule)
            .stateless(SparseSliceOps::slice),
        Op.define(
                "SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64,"
                    + " output_indices: int64) -> val_grad: T")
            .attrs("T: number")
            .shape(in -> List.of(Shape.of(Shapes.withRank(in.shape(1), 2).size(0))))
            .stateless(SparseSliceOps::gradient));
  }

  /** The gradient of each value of the input; 0 of those outside of the slice. */
  private static void gradient(KernelCall call) {
    Tensor gradient = call.input(0);
    Tensor inputs = call.input(1);
    Tensor start = call.input(2);
    Tensor outputs = call.input(3);
    checkGradient(gradient, inputs, start, outputs);
    int rank = start.elements();
    int count = (int) inputs.shape().size(0);
    DataType dtype = gradient.dtype();
    Object array = TensorLimit.allocate(dtype, Shape.of(count));
    int j = 0;
    // Both lists of indices are in row-major order.
    for (int i = 0; i < count && j < gradient.elements(); i++) {
      boolean same = true;
      for (int axis = 0; axis < rank; axis++) {
        same &=
            inputs.integer(i * rank + axis)
                == outputs.integer(j * rank + axis) + start.integer(axis);
      }
      if (same) {
        dtype
            .kind()
            .copy(TensorMemory.array(gradient), TensorMemory.offset(gradient) + j, array, i, 1);
        j++;
      }
    }
    if (j < gradient.elements()) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Elements of backprop_val_grad aren't all propagated. Num elements:%d, used: %d",
          gradient.elements(),
          j);
    }
    call.setOutput(0, Tensor.wrap(dtype, Shape.of(count), array));
  }

  private static void checkGradient(Tensor gradient, Tensor inputs, Tensor start, Tensor outputs) {
    if (inputs.shape().rank() != 2 || outputs.shape().rank() != 2) {
      throw invalidArgument(
          "Input and output indices should be matrices but received shapes: %s and %s",
          inputs.shape(), outputs.shape());
    }
    SparseTensor.checkRankOf("Input backprop_val_grad should be a vector", gradient, 1);
    if (gradient.elements() != outputs.shape().size(0)) {
      throw invalidArgument(
          "# elements in backprop_val_grad and # rows in output_indices do not match (# elements ="
              + " %d, # rows = %d)",
          gradient.elements(), outputs.shape().size(0));
    }
    if (outputs.shape().size(0) > inputs.shape().size(0)) {
      throw invalidArgument(
          "# rows of output_indices should be not greater than of input_indices, got %d and %d",
          outputs.shape().size(0), inputs.shape().size(0));
    }
    if (inputs.shape().size(1) != outputs.shape().size(1)) {
      throw invalidArgument(
          "The input and output should have the same ndims: got shapes %s and %s",
          inputs.shape(), outputs.shape());
    }
    SparseTensor.checkRankOf("Input start should be a vector", start, 1);
    checkLength("start", start, (int) inputs.shape().size(1));
  }

  private static List<Shape> sliceRule(ShapeFunction.Inputs in) {
    Shape shape = in.shape(2);
    long rank = shape.rank() == 1 ? shape.size(0) : Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION, rank), Shapes.ofRank(1), shape);
  }

  private static void slice(KernelCall call) {
    SparseTensor sparse = SparseTensor.of(call, 0);
    Tensor start = call.input(3);
    Tensor size = call.input(4);
    SparseTensor.checkRankOf("Input start should be a vector", start, 1);
    SparseTensor.checkRankOf("Input size should be a vector", size, 1);
    int rank = sparse.rank();
    checkLength("start", start, rank);
    checkLength("size", size, rank);
    sparse.checkSize();
    long[] sizes = new long[rank];
    for (int axis = 0; axis < rank; axis++) {
      long left = sparse.size(axis) - start.integer(axis);
      sizes[axis] = left < 0 ? 0 : Math.min(left, size.integer(axis));
      if (sizes[axis] < 0) {
        throw invalidArgument("Expected a non-negative size, got %d", sizes[axis]);
      }
    }
    int[] picked = new int[sparse.count()];
    int count = 0;
    for (int i = 0; i < picked.length; i++) {
      if (isWithin(sparse, i, start, size)) {
        picked[count++] = i;
      }
    }
    setSlice(call, sparse, Arrays.copyOf(picked, count), start, sizes);
  }

  private static void checkLength(String name, Tensor vector, int rank) {
    if (vector.elements() != rank) {
      throw invalidArgument(
          "Expected %s to be a vector of length %d but got length %d",
          name, rank, vector.elements());
    }
  }

  /** Whether an index is in the box; one beyond the shape may be, as in TensorFlow. */
  private static boolean isWithin(SparseTensor sparse, int i, Tensor start, Tensor size) {
    for (int axis = 0; axis < sparse.rank(); axis++) {
      long at = sparse.index(i, axis) - start.integer(axis);
      if (at < 0 || at >= size.integer(axis)) {
        return false;
      }
    }
    return true;
  }

  private static void setSlice(
      KernelCall call, SparseTensor sparse, int[] picked, Tensor start, long[] sizes) {
    Tensor indices = sparse.pickIndices(picked);
    long[] array = (long[]) TensorMemory.array(indices);
    for (int i = 0; i < array.length; i++) {
      array[i] -= start.integer(i % sizes.length);
    }
    call.setOutput(0, indices);
    call.setOutput(1, sparse.pickValues(picked));
    call.setOutput(2, Tensor.vector(sizes));
  }
}

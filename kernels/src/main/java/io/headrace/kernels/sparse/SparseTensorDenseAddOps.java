package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The SparseTensorDenseAdd op: a sparse tensor added to a dense one of its shape. */
final class SparseTensorDenseAddOps {
  private SparseTensorDenseAddOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T)"
                    + " -> output: T")
            .attrs("T: number", "Tindices: {int32, int64}")
            .shape(in -> List.of(in.shape(3)))
            .stateless(SparseTensorDenseAddOps::add));
  }

  private static void add(KernelCall call) {
    Tensor indices = call.input(0);
    Tensor values = call.input(1);
    Tensor sizes = call.input(2);
    Tensor dense = call.input(3);
    check(indices, values, sizes, dense);
    DataType dtype = dense.dtype();
    Object sums = TensorLimit.allocate(dtype, dense.shape());
    dtype
        .kind()
        .copy(TensorMemory.array(dense), TensorMemory.offset(dense), sums, 0, dense.elements());
    int rank = dense.shape().rank();
    for (int i = 0; i < values.elements(); i++) {
      int at = 0;
      for (int axis = 0; axis < rank; axis++) {
        long index = indices.integer(i * rank + axis);
        long size = dense.shape().size(axis);
        if (index < 0 || index >= size) {
          throw invalidArgument("invalid index %d: %d is not in [0, %d)", i, index, size);
        }
        at = (int) (at * size + index);
      }
      Combiner.ADD.into(
          dtype, sums, at, TensorMemory.array(values), TensorMemory.offset(values) + i, 1);
    }
    call.setOutput(0, Tensor.wrap(dtype, dense.shape(), sums));
  }

  private static void check(Tensor indices, Tensor values, Tensor sizes, Tensor dense) {
    SparseTensor.checkRankOf("Input a_indices should be a matrix", indices, 2);
    if (values.shape().rank() != 1 || sizes.shape().rank() != 1) {
      throw invalidArgument(
          "Inputs a_values and a_shape should be vectors but received shapes: %s and %s",
          values.shape(), sizes.shape());
    }
    if (values.elements() != indices.shape().size(0)) {
      throw invalidArgument(
          "Dimensions %d and %d are not compatible: a value for each index",
          indices.shape().size(0), values.elements());
    }
    if (sizes.elements() != dense.shape().rank()) {
      throw invalidArgument(
          "Two operands have different ranks; received: %d and %d",
          sizes.elements(), dense.shape().rank());
    }
    if (indices.shape().size(1) != sizes.elements()) {
      throw invalidArgument(
          "Shape dimension (%d) and indices dimension (%d) do not match: the index of a value has a"
              + " number for each dimension",
          sizes.elements(), indices.shape().size(1));
    }
    for (int axis = 0; axis < sizes.elements(); axis++) {
      if (sizes.integer(axis) != dense.shape().size(axis)) {
        throw invalidArgument(
            "Dimension %d does not equal (no broadcasting is supported): sparse side %d vs dense"
                + " side %d",
            axis, sizes.integer(axis), dense.shape().size(axis));
      }
    }
  }
}

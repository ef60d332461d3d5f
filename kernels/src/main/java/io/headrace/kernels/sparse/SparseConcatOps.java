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
import java.util.ArrayList;
import java.util.List;

/** The SparseConcat op: sparse tensors joined along a dimension. */
final class SparseConcatOps {
  private SparseConcatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) ->"
                    + " (output_indices: int64, output_values: T, output_shape: int64)")
            .attrs("concat_dim: int", "N: int", "T: type")
            .shape(SparseConcatOps::concatRule)
            .kernel(node -> {
              long axis = node.attrs().integer("concat_dim");
              return call -> concat(call, axis);
            }));
  }

  private static List<Shape> concatRule(ShapeFunction.Inputs in) {
    int n = in.count() / 3;
    long count = 0;
    long rank = Shape.UNKNOWN_DIMENSION;
    Shape shape = Shapes.ofRank(1);
    for (int i = 0; i < n; i++) {
      Shape indices = Shapes.withRank(in.shape(i), 2);
      Shape values = Shapes.withRank(in.shape(n + i), 1);
      shape = Shapes.merge(shape, Shapes.withRank(in.shape(2 * n + i), 1));
      count = Shapes.add(count, Shapes.mergeSize(indices.size(0), values.size(0)));
      rank = Shapes.mergeSize(rank, indices.size(1));
    }
    rank = Shapes.mergeSize(rank, shape.size(0));
    return List.of(Shape.of(count, rank), Shape.of(count), Shape.of(rank));
  }

  private static void concat(KernelCall call, long concatDim) {
    int n = call.inputs() / 3;
    List<SparseTensor> parts = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      checkPart("indices", "a matrix", call.input(i), 2, i);
      checkPart("values", "a vector", call.input(n + i), 1, i);
      checkPart("shapes", "a vector", call.input(2 * n + i), 1, i);
      parts.add(new SparseTensor(call.input(i), call.input(n + i), call.input(2 * n + i)));
    }
    int axis = checkedAxis(parts, concatDim);
    long[] sizes = parts.getFirst().shape().integers();
    long[] offsets = new long[n];
    sizes[axis] = 0;
    for (int i = 0; i < n; i++) {
      offsets[i] = sizes[axis];
      sizes[axis] = joinedSize(sizes[axis], parts.get(i).size(axis), i);
    }
    SparseTensor joined = joined(parts, offsets, axis, sizes);
    int[] order = joined.order();
    call.setOutput(0, joined.pickIndices(order));
    call.setOutput(1, joined.pickValues(order));
    call.setOutput(2, joined.shape());
  }

  private static long joinedSize(long before, long size, int index) {
    if (size < 0 || before > Long.MAX_VALUE - size) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Encountered overflow from large input shape: size %d at position %d of the inputs",
          size,
          index);
    }
    return before + size;
  }

  private static void checkPart(String name, String must, Tensor tensor, int rank, int index) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument(
          "Input %s should be %s but received shape %s at position %d",
          name, must, tensor.shape(), index);
    }
  }

  /** The axis that {@code concatDim} names; INVALID_ARGUMENT if the parts cannot be joined. */
  private static int checkedAxis(List<SparseTensor> parts, long concatDim) {
    int rank = parts.getFirst().rank();
    Integer axis = Shapes.axis(concatDim, rank);
    if (axis == null) {
      throw invalidArgument(
          "Concat dimension must be in range [%d, %d), got %d", -rank, rank, concatDim);
    }
    for (int i = 0; i < parts.size(); i++) {
      SparseTensor part = parts.get(i);
      if (part.rank() != rank) {
        throw invalidArgument(
            "Ranks of all input tensors must match: expected %d but got %d at position %d",
            rank, part.rank(), i);
      }
      for (int j = 0; j < rank; j++) {
        if (j != axis && part.size(j) != parts.getFirst().size(j)) {
          throw invalidArgument(
              "Input shapes must match: expected %d for dimension %d but got %d at position %d",
              parts.getFirst().size(j), j, part.size(j), i);
        }
      }
      checkCounts(part, i);
    }
    return axis;
  }

  private static void checkCounts(SparseTensor part, int i) {
    if (part.indices().shape().size(0) != part.count()
        || part.indices().shape().size(1) != part.rank()) {
      throw invalidArgument(
          "indices %s, %d values and a shape of %d sizes do not fit together at position %d",
          part.indices().shape(), part.count(), part.rank(), i);
    }
  }

  private static SparseTensor joined(
      List<SparseTensor> parts, long[] offsets, int axis, long[] sizes) {
    long count = parts.stream().mapToLong(SparseTensor::count).sum();
    DataType dtype = parts.getFirst().values().dtype();
    Shape shape = Shape.of(count, sizes.length);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    Object values = TensorLimit.allocate(dtype, Shape.of(count));
    int at = 0;
    for (int i = 0; i < parts.size(); i++) {
      SparseTensor part = parts.get(i);
      dtype
          .kind()
          .copy(
              TensorMemory.array(part.values()),
              TensorMemory.offset(part.values()),
              values,
              at,
              part.count());
      for (int j = 0; j < part.count(); j++, at++) {
        for (int k = 0; k < sizes.length; k++) {
          indices[at * sizes.length + k] = part.index(j, k) + (k == axis ? offsets[i] : 0);
        }
      }
    }
    return new SparseTensor(
        Tensor.wrap(DataType.INT64, shape, indices),
        Tensor.wrap(dtype, Shape.of(count), values),
        Tensor.vector(sizes));
  }
}

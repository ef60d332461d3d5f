package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ops that order, reshape, cut and join sparse tensors. */
final class SparseArrangeOps {
  private SparseArrangeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseReorder(input_indices: int64, input_values: T, input_shape: int64) ->"
                    + " (output_indices: int64, output_values: T)")
            .attrs("T: type")
            .shape(in -> {
              Shape indices = Shapes.withRank(in.shape(0), 2);
              Shape values = Shapes.withRank(in.shape(1), 1);
              Shapes.withRank(in.shape(2), 1);
              return List.of(indices, values);
            })
            .stateless(SparseArrangeOps::reorder),
        Op.define(
                "SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) ->"
                    + " (output_indices: int64, output_shape: int64)")
            .shape(SparseArrangeOps::reshapeRule)
            .stateless(SparseArrangeOps::reshape),
        Op.define(
                "SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64)"
                    + " -> (output_indices: int64, output_values: T, output_shape: int64)")
            .attrs("T: type")
            .shape(SparseArrangeOps::sliceRule)
            .stateless(SparseArrangeOps::slice),
        Op.define(
                "SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) ->"
                    + " (output_indices: int64, output_values: T, output_shape: int64)")
            .attrs("concat_dim: int", "N: int", "T: type")
            .shape(SparseArrangeOps::concatRule)
            .kernel(node -> {
              long axis = node.attrs().integer("concat_dim");
              return call -> concat(call, axis);
            }));
  }

  private static void reorder(KernelCall call) {
    SparseInput sparse = SparseInput.of(call, 0);
    int[] order = sparse.order();
    call.setOutput(0, sparse.pickIndices(order));
    call.setOutput(1, sparse.pickValues(order));
  }

  private static List<Shape> reshapeRule(ShapeRule.Inputs in) {
    Shape indices = Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shape target = Shapes.withRank(in.shape(2), 1);
    return List.of(Shape.of(indices.size(0), target.size(0)), target);
  }

  private static void reshape(KernelCall call) {
    Tensor indices = call.input(0);
    if (indices.shape().rank() != 2) {
      throw invalidArgument("Input must be a matrix. Got %s", indices.shape());
    }
    if (call.input(1).shape().rank() != 1) {
      throw invalidArgument("Input shape must be a vector. Got %s", call.input(1).shape());
    }
    checkRank("Target shape should be a vector", call.input(2), 1);
    SparseReshaping reshaping =
        new SparseReshaping(call.input(1).integers(), call.input(2).integers());
    if (indices.shape().size(1) != call.input(1).elements()) {
      throw invalidArgument(
          "Input tensor rank must match input shape length. Got %d indices, shape %s",
          indices.shape().size(1), call.input(1).shape());
    }
    Tensor target = Tensor.vector(reshaping.target());
    call.setOutput(0, reshaping.indices(indices));
    call.setOutput(1, target);
  }

  private static void checkRank(String must, Tensor tensor, int rank) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument("%s but received shape %s", must, tensor.shape());
    }
  }

  private static List<Shape> sliceRule(ShapeRule.Inputs in) {
    Shape shape = in.shape(2);
    long rank = shape.rank() == 1 ? shape.size(0) : Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION, rank), Shapes.ofRank(1), shape);
  }

  private static void slice(KernelCall call) {
    SparseInput sparse = SparseInput.of(call, 0);
    Tensor start = call.input(3);
    Tensor size = call.input(4);
    checkRank("Input start should be a vector", start, 1);
    checkRank("Input size should be a vector", size, 1);
    int rank = sparse.rank();
    checkLength("start", start, rank);
    checkLength("size", size, rank);
    long[] sizes = new long[rank];
    for (int axis = 0; axis < rank; axis++) {
      long left = Math.max(0, sparse.size(axis) - start.integer(axis));
      sizes[axis] = Math.min(left, size.integer(axis));
    }
    int[] picked = new int[sparse.count()];
    int count = 0;
    for (int i = 0; i < picked.length; i++) {
      if (isWithin(sparse, i, start, sizes)) {
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

  private static boolean isWithin(SparseInput sparse, int i, Tensor start, long[] sizes) {
    for (int axis = 0; axis < sizes.length; axis++) {
      long at = sparse.index(i, axis) - start.integer(axis);
      if (at < 0 || at >= sizes[axis]) {
        return false;
      }
    }
    return true;
  }

  private static void setSlice(
      KernelCall call, SparseInput sparse, int[] picked, Tensor start, long[] sizes) {
    Tensor indices = sparse.pickIndices(picked);
    long[] array = (long[]) indices.array();
    for (int i = 0; i < array.length; i++) {
      array[i] -= start.integer(i % sizes.length);
    }
    call.setOutput(0, indices);
    call.setOutput(1, sparse.pickValues(picked));
    call.setOutput(2, Tensor.vector(sizes));
  }

  private static List<Shape> concatRule(ShapeRule.Inputs in) {
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
    List<SparseInput> parts = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      checkPart("indices", "a matrix", call.input(i), 2, i);
      checkPart("values", "a vector", call.input(n + i), 1, i);
      checkPart("shapes", "a vector", call.input(2 * n + i), 1, i);
      parts.add(new SparseInput(call.input(i), call.input(n + i), call.input(2 * n + i)));
    }
    int axis = checkedAxis(parts, concatDim);
    long[] sizes = parts.getFirst().shape().integers();
    long[] shifts = new long[n];
    sizes[axis] = 0;
    for (int i = 0; i < n; i++) {
      shifts[i] = sizes[axis];
      sizes[axis] += parts.get(i).size(axis);
    }
    SparseInput joined = joined(parts, shifts, axis, sizes);
    int[] order = joined.order();
    call.setOutput(0, joined.pickIndices(order));
    call.setOutput(1, joined.pickValues(order));
    call.setOutput(2, joined.shape());
  }

  private static void checkPart(String name, String must, Tensor tensor, int rank, int index) {
    if (tensor.shape().rank() != rank) {
      throw invalidArgument(
          "Input %s should be %s but received shape %s at position %d",
          name, must, tensor.shape(), index);
    }
  }

  private static int checkedAxis(List<SparseInput> parts, long concatDim) {
    int rank = parts.getFirst().rank();
    Integer axis = Shapes.axis(concatDim, rank);
    if (axis == null) {
      throw invalidArgument(
          "Concat dimension must be in range [%d, %d), got %d", -rank, rank, concatDim);
    }
    for (int i = 0; i < parts.size(); i++) {
      SparseInput part = parts.get(i);
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

  private static void checkCounts(SparseInput part, int i) {
    if (part.indices().shape().size(0) != part.count()
        || part.indices().shape().size(1) != part.rank()) {
      throw invalidArgument(
          "indices %s, %d values and a shape of %d sizes do not fit together at position %d",
          part.indices().shape(), part.count(), part.rank(), i);
    }
  }

  private static SparseInput joined(
      List<SparseInput> parts, long[] shifts, int axis, long[] sizes) {
    long count = parts.stream().mapToLong(SparseInput::count).sum();
    DataType dtype = parts.getFirst().values().dtype();
    Shape shape = Shape.of(count, sizes.length);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    Object values = TensorLimit.allocate(dtype, Shape.of(count));
    int at = 0;
    for (int i = 0; i < parts.size(); i++) {
      SparseInput part = parts.get(i);
      dtype.kind().copy(part.values().array(), part.values().offset(), values, at, part.count());
      for (int j = 0; j < part.count(); j++, at++) {
        for (int k = 0; k < sizes.length; k++) {
          indices[at * sizes.length + k] = part.index(j, k) + (k == axis ? shifts[i] : 0);
        }
      }
    }
    return new SparseInput(
        Tensor.of(DataType.INT64, shape, indices),
        Tensor.of(dtype, Shape.of(count), values),
        Tensor.vector(sizes));
  }
}

package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.FillOps;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The SparseToDense op: a dense tensor of a default value with the given elements set. */
final class SparseToDenseOps {
  private SparseToDenseOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T,"
                    + " default_value: T) -> dense: T")
            .attrs("validate_indices: bool = true", "T: type", "Tindices: {int32, int64}")
            .shape(SparseToDenseOps::rule)
            .kernel(RowKernel.made(SparseToDenseOps::sparseToDense)));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    return List.of(Shapes.fromSizes(in, 1));
  }

  private static RowKernel.Body sparseToDense(NodeSpec node) {
    boolean validate = node.attrs().bool("validate_indices");
    return rows -> {
      Tensor sizes = rows.same(1);
      if (sizes == null) {
        return false;
      }
      checkShapes(rows.shape(0), sizes, rows.shape(2), rows.shape(3));
      Shape shape = ShapeInputs.shape(sizes);
      Object array = rows.allocate(rows.dtype(2), shape);
      FillOps.repeat(rows, 3, shape, array);
      for (int row = 0; row < rows.count(); row++) {
        rows.cancellation().check();
        put(rows.row(0, row), rows.row(2, row), shape, validate, array, row * shape.elements());
      }
      rows.set(0, rows.dtype(2), shape, array);
      return true;
    };
  }

  private static void checkShapes(Shape indices, Tensor sizes, Shape values, Shape defaultValue) {
    if (indices.rank() > 2) {
      throw invalidArgument(
          "sparse_indices should be a scalar, vector, or matrix, got shape %s", indices);
    }
    if (sizes.shape().rank() != 1) {
      throw invalidArgument("output_shape must be rank 1, got shape %s", sizes.shape());
    }
    long depth = indices.rank() > 1 ? indices.size(1) : 1;
    if (sizes.elements() != depth) {
      throw invalidArgument(
          "output_shape has incorrect number of elements: %d should be: %d",
          sizes.elements(), depth);
    }
    long count = indices.rank() > 0 ? indices.size(0) : 1;
    boolean fits = values.rank() == 0 || (values.rank() == 1 && values.size(0) == count);
    if (!fits) {
      throw invalidArgument(
          "sparse_values has incorrect shape %s, should be [] or [%d]", values, count);
    }
    if (defaultValue.rank() != 0) {
      throw invalidArgument("default_value should be a scalar.");
    }
  }

  private static void put(
      Tensor indices, Tensor values, Shape shape, boolean validate, Object array, int first) {
    int depth = shape.rank();
    int count = indices.shape().rank() == 0 ? 1 : (int) indices.shape().size(0);
    ElementKind kind = values.dtype().kind();
    long before = -1;
    for (int i = 0; i < count; i++) {
      long flatIndex = flatIndex(indices, i, depth, shape, validate);
      if (validate && flatIndex <= before) {
        throw flatIndex == before
            ? invalidArgument("indices[%d] = %s is repeated", i, text(indices, i, depth))
            : invalidArgument(
                "indices[%d] = %s is out of order. Many sparse ops require sorted indices. Use"
                    + " `tf.sparse.reorder` to create a correctly ordered copy.",
                i, text(indices, i, depth));
      }
      before = flatIndex;
      int from = TensorMemory.offset(values) + (values.shape().rank() == 0 ? 0 : i);
      kind.copy(TensorMemory.array(values), from, array, first + (int) flatIndex, 1);
    }
  }

  /** The row-major index of index {@code i}; INVALID_ARGUMENT if it is out of bounds. */
  private static long flatIndex(Tensor indices, int i, int depth, Shape shape, boolean validate) {
    long flatIndex = 0;
    for (int axis = 0; axis < depth; axis++) {
      long index = indices.integer(i * depth + axis);
      if (index < 0 || index >= shape.size(axis)) {
        throw validate
            ? invalidArgument(
                "indices[%d] = %s is out of bounds: need 0 <= index < %s",
                i, text(indices, i, depth), shape)
            : invalidArgument("Indices are not valid (out of bounds).  Shape: %s", shape);
      }
      flatIndex = flatIndex * shape.size(axis) + index;
    }
    return flatIndex;
  }

  private static String text(Tensor indices, int i, int depth) {
    return Arrays.stream(indices.integers(), i * depth, (i + 1) * depth)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(",", "[", "]"));
  }
}

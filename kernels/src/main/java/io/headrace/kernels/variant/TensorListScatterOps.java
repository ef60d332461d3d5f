package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * TensorListScatter, TensorListScatterV2 and TensorListScatterIntoExistingList: slices set in a
 * list by index.
 */
final class TensorListScatterOps {
  private TensorListScatterOps() {}

  static List<Op> ops() {
    return List.of(
        scatter("TensorListScatter", ""),
        scatter("TensorListScatterV2", ", num_elements: int32"),
        Op.define(
                "TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype,"
                    + " indices: int32) -> output_handle: variant")
            .attrs("element_dtype: type")
            .remark("Elements that no index names are not set; TensorFlow has empty floats there.")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.variant(scatterInto(call)))));
  }

  private static Op scatter(String name, String size) {
    return Op.define(
            name
                + "(tensor: element_dtype, indices: int32, element_shape: shape_type"
                + size
                + ") -> output_handle: variant")
        .attrs("element_dtype: type", "shape_type: {int32, int64}")
        .shape(in -> {
          Shapes.fromSizes(in, 2);
          return List.of(Shape.SCALAR);
        })
        .stateless(call -> TensorListOps.set(call, scatterNew(call)));
  }

  private static TensorList scatterNew(KernelCall call) {
    Tensor tensor = call.input(0);
    Tensor indices = call.input(1);
    Shape shape = TensorList.shapeFrom(call.input(2));
    TensorListOps.checkVector(tensor);
    TensorListOps.checkRows(shape, tensor);
    if (tensor.shape().size(0) != indices.elements()) {
      throw invalidArgument(
          "Invalid number of rows in input tensor. Expected: %d Actual: %d",
          indices.elements(), tensor.shape().size(0));
    }
    TensorVector items = TensorVector.EMPTY.resized(sizeOfScattered(call, indices));
    for (int i = 0; i < indices.elements(); i++) {
      items = items.with((int) indices.integer(i), tensor.row(i));
    }
    return new TensorList(items, tensor.dtype(), shape, TensorList.UNBOUNDED);
  }

  private static int sizeOfScattered(KernelCall call, Tensor indices) {
    int size = call.inputs() > 3 ? TensorListOps.integer(call, 3, "num_elements") : -1;
    if (size < -1) {
      throw invalidArgument("TensorListScatter expects num_elements >= -1, found: %d", size);
    }
    long highest = -1;
    for (int i = 0; i < indices.elements(); i++) {
      long index = indices.integer(i);
      if (index < 0) {
        throw invalidArgument("Indices in TensorListScatter must all be non-negative.");
      }
      if (size >= 0 && index >= size) {
        throw invalidArgument(
            "TensorListScatter: Trying to scatter at index %d in list with size %d", index, size);
      }
      highest = Math.max(highest, index);
    }
    return size >= 0 ? size : Math.toIntExact(highest + 1);
  }

  private static TensorList scatterInto(KernelCall call) {
    TensorList list = TensorList.of(call.input(0));
    Tensor tensor = call.input(1);
    Tensor indices = call.input(2);
    if (tensor.dtype() != list.elementType()) {
      throw invalidArgument(
          "Invalid data types; input tensor type: %s list element_type: %s",
          tensor.dtype().tfName(), list.elementType().tfName());
    }
    TensorListOps.checkVector(tensor);
    if (indices.shape().rank() != 1) {
      throw invalidArgument(
          "Expected indices to be a vector, but received shape: %s", indices.shape());
    }
    if (indices.elements() != tensor.shape().size(0)) {
      throw invalidArgument(
          "Expected len(indices) == tensor.shape[0], but saw: %d vs. %d",
          indices.elements(), tensor.shape().size(0));
    }
    int size = list.size();
    for (long index : indices.integers()) {
      if (index < 0 || index == Integer.MAX_VALUE) {
        throw invalidArgument("indices must be from 0 to 2^31 - 2, and one is %d", index);
      }
      size = Math.max(size, (int) index + 1);
    }
    TensorVector items = list.items().resized(size);
    for (int i = 0; i < indices.elements(); i++) {
      items = items.with((int) indices.integer(i), tensor.row(i));
    }
    return list.withItems(items);
  }
}

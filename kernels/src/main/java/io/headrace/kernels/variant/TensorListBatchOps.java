package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Ops that put the rows of a tensor into lists that there are. */
final class TensorListBatchOps {
  private TensorListBatchOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype,"
                    + " indices: int32) -> output_handle: variant")
            .attrs("element_dtype: type")
            .remark("Elements that no index names are not set; TensorFlow has empty floats there.")
            .shape(ShapeRules.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.variant(scatter(call)))),
        Op.define(
                "TensorListPushBackBatch(input_handles: variant, tensor: element_dtype)"
                    + " -> output_handles: variant")
            .attrs("element_dtype: type")
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 1)))
            .stateless(TensorListBatchOps::pushBack));
  }

  private static TensorList scatter(KernelCall call) {
    TensorList list = TensorList.of(call.input(0));
    Tensor tensor = call.input(1);
    Tensor indices = call.input(2);
    if (tensor.dtype() != list.elementType()) {
      throw invalidArgument(
          "Invalid data types; input tensor type: %s list element_type: %s",
          tensor.dtype().tfName(), list.elementType().tfName());
    }
    TensorListJoinOps.checkVector(tensor);
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

  private static void pushBack(KernelCall call) {
    Tensor handles = call.input(0);
    Tensor tensor = call.input(1);
    if (tensor.shape().rank() < 1) {
      throw invalidArgument(
          "Expected tensor to be at least a vector, but saw shape: %s", tensor.shape());
    }
    if (handles.shape().rank() != 1) {
      throw invalidArgument(
          "Expected input_handles to be a vector, but saw shape: %s", handles.shape());
    }
    if (tensor.shape().size(0) != handles.elements()) {
      throw invalidArgument(
          "Expected tensor.shape[0] == input_handles.size, but saw %d vs. %d",
          tensor.shape().size(0), handles.elements());
    }
    Object[] longer = new Object[handles.elements()];
    for (int i = 0; i < longer.length; i++) {
      TensorList list = TensorList.ofElement(handles, i);
      checkFits(list, tensor, i);
      TensorVector grown = list.items().resized(Math.addExact(list.size(), 1));
      longer[i] = list.withItems(grown.with(list.size(), tensor.row(i)));
    }
    call.setOutput(0, Tensor.of(DataType.VARIANT, handles.shape(), longer));
  }

  private static void checkFits(TensorList list, Tensor tensor, int index) {
    Shape shape = tensor.shape().dropFirst(1);
    if (!list.elementShape().isCompatibleWith(shape)) {
      throw invalidArgument(
          "Tried to append a tensor with incompatible shape to a list at index %d."
              + " Op element shape: %s list shape: %s",
          index, shape, list.elementShape());
    }
    if (list.elementType() != tensor.dtype()) {
      throw invalidArgument(
          "Invalid data type at index %d; op elements %s but list elements %s",
          index, tensor.dtype().tfName(), list.elementType().tfName());
    }
  }
}

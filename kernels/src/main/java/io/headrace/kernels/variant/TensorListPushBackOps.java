package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** TensorListPushBack, TensorListPushBackBatch and TensorListPopBack: lists as stacks. */
final class TensorListPushBackOps {
  private TensorListPushBackOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "TensorListPushBack(input_handle: variant, tensor: element_dtype)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type")
            .shape(ShapeFunctions.SCALAR)
            .stateless(
                call -> TensorListOps.set(call, push(TensorList.of(call.input(0)), call.input(1)))),
        Op.define(
                "TensorListPushBackBatch(input_handles: variant, tensor: element_dtype)"
                    + " -> output_handles: variant")
            .attrs("element_dtype: type")
            .shape(in -> List.of(Shapes.withRank(in.shape(0), 1)))
            .stateless(TensorListPushBackOps::pushBack),
        Op.define(
                "TensorListPopBack(input_handle: variant, element_shape: int32)"
                    + " -> (output_handle: variant, tensor: element_dtype)")
            .attrs("element_dtype: type")
            .shape(_ -> List.of(Shape.SCALAR, Shape.UNKNOWN))
            .kernel(node -> call -> pop(call, node)));
  }

  private static TensorList push(TensorList list, Tensor tensor) {
    if (!list.elementShape().isCompatibleWith(tensor.shape())) {
      throw invalidArgument(
          "Tried to append a tensor with incompatible shape to a list."
              + " Op element shape: %s list shape: %s",
          tensor.shape(), list.elementShape());
    }
    list.checkType(tensor.dtype());
    if (list.maxElements() != TensorList.UNBOUNDED && list.size() >= list.maxElements()) {
      throw invalidArgument(
          "Tried to push item into a full list list size: %d max_num_elements: %d",
          list.size(), list.maxElements());
    }
    TensorVector grown = list.items().resized(Math.addExact(list.size(), 1));
    return list.withItems(grown.with(list.size(), tensor));
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
    call.setOutput(0, Tensor.wrap(DataType.VARIANT, handles.shape(), longer));
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

  private static void pop(KernelCall call, NodeSpec node) {
    TensorList list = TensorList.of(call.input(0));
    DataType dtype = node.attrs().type("element_dtype");
    list.checkType(dtype);
    if (list.size() == 0) {
      throw invalidArgument("Trying to pop from an empty list.");
    }
    int last = list.size() - 1;
    Tensor item = list.items().get(last);
    if (item == null) {
      Shape shape = TensorList.merge(TensorList.shapeFrom(call.input(1)), list.elementShape());
      if (!shape.isKnown()) {
        throw invalidArgument(
            "Trying to read an uninitialized tensor but element_shape is not fully defined.%s",
            shape);
      }
      item = TensorList.zeros(dtype, shape);
    }
    TensorListOps.set(call, list.withItems(list.items().resized(last)));
    call.setOutput(1, item);
  }
}

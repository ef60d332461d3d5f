package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** TensorListStack, TensorListGather and TensorListFromTensor: a list as one tensor, and back. */
final class TensorListStackOps {
  private TensorListStackOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "TensorListStack(input_handle: variant, element_shape: int32)"
                    + " -> tensor: element_dtype")
            .attrs("element_dtype: type", "num_elements: int = -1")
            .shape(in ->
                List.of(
                    Shapes.concat(
                        Shape.of(in.attrs().integer("num_elements")), Shapes.fromSizes(in, 1))))
            .kernel(node -> call -> stack(call, node)),
        Op.define(
                "TensorListGather(input_handle: variant, indices: int32, element_shape: int32)"
                    + " -> values: element_dtype")
            .attrs("element_dtype: type")
            .shape(in -> List.of(Shapes.concat(in.shape(1), Shapes.fromSizes(in, 2))))
            .kernel(node -> call -> gather(call, node)),
        Op.define(
                "TensorListFromTensor(tensor: element_dtype, element_shape: shape_type)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type", "shape_type: {int32, int64}")
            .shape(in -> {
              Shapes.checkRankAtLeast(in.shape(0), 1);
              Shape rest = in.shape(0).isUnknownRank() ? Shape.UNKNOWN : in.shape(0).dropFirst(1);
              Shapes.merge(rest, Shapes.fromSizes(in, 1));
              return List.of(Shape.SCALAR);
            })
            .stateless(call -> TensorListOps.set(call, fromTensor(call))));
  }

  private static void stack(KernelCall call, NodeSpec node) {
    TensorList list = TensorListOps.list(call, node);
    long expected = node.attrs().integer("num_elements");
    if (expected >= 0 && expected != list.size()) {
      throw invalidArgument(
          "Operation expected a list with %d elements but got a list with %d elements.",
          expected, list.size());
    }
    Shape shape = TensorList.merge(TensorList.shapeFrom(call.input(1)), list.elementShape());
    if (!shape.isKnown() && list.size() == 0) {
      throw invalidArgument(
          "Tried to stack elements of an empty list with non-fully-defined element_shape: %s",
          shape);
    }
    if (!list.elementShape().isKnown()) {
      Shape[] narrowed = {shape};
      list.items()
          .forEachSet((_, tensor) -> narrowed[0] = TensorList.merge(narrowed[0], tensor.shape()));
      shape = narrowed[0];
    }
    if (!shape.isKnown()) {
      throw invalidArgument(
          "Tried to stack list which only contains uninitialized tensors and has a"
              + " non-fully-defined element_shape: %s",
          shape);
    }
    Tensor stacked = TensorList.zeros(list.elementType(), shape.prepend(list.size()));
    int width = shape.elements();
    list.items().forEachSet((i, tensor) -> TensorListOps.copy(tensor, stacked, i * width));
    call.setOutput(0, stacked);
  }

  private static void gather(KernelCall call, NodeSpec node) {
    TensorList list = TensorListOps.list(call, node);
    Tensor indices = call.input(1);
    int count = indices.elements();
    Shape shape = TensorList.merge(TensorList.shapeFrom(call.input(2)), list.elementShape());
    if (!shape.isKnown() && count == 0) {
      throw invalidArgument(
          "Tried to gather 0-elements from a list with non-fully-defined shape: %s", shape);
    }
    for (int i = 0; i < count; i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= list.size()) {
        throw invalidArgument(
            "Index %d out o range; list only has %d elements.", index, list.size());
      }
      Tensor item = list.items().get((int) index);
      if (item != null && !list.elementShape().isKnown()) {
        shape = TensorList.merge(shape, item.shape());
      }
    }
    if (!shape.isKnown()) {
      throw invalidArgument(
          "Tried to gather uninitialized tensors from a list with non-fully-defined"
              + " element_shape: %s",
          shape);
    }
    Tensor gathered = TensorList.zeros(list.elementType(), shape.prepend(count));
    int width = shape.elements();
    for (int i = 0; i < count; i++) {
      Tensor item = list.items().get((int) indices.integer(i));
      if (item != null) {
        TensorListOps.copy(item, gathered, i * width);
      }
    }
    call.setOutput(0, gathered);
  }

  private static TensorList fromTensor(KernelCall call) {
    Tensor tensor = call.input(0);
    Shape shape = TensorList.shapeFrom(call.input(1));
    TensorListOps.checkVector(tensor);
    TensorListOps.checkRows(shape, tensor);
    return new TensorList(
        TensorVector.of(rows(tensor)), tensor.dtype(), shape, TensorList.UNBOUNDED);
  }

  static List<Tensor> rows(Tensor tensor) {
    List<Tensor> rows = new ArrayList<>();
    for (int i = 0; i < tensor.shape().size(0); i++) {
      rows.add(tensor.row(i));
    }
    return rows;
  }
}

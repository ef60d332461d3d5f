package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Ops that make one tensor of a list of tensors, and a list of one tensor. */
final class TensorListJoinOps {
  private TensorListJoinOps() {}

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
            .stateless(call -> set(call, fromTensor(call))),
        Op.define(
                "TensorListScatterV2(tensor: element_dtype, indices: int32,"
                    + " element_shape: shape_type, num_elements: int32)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type", "shape_type: {int32, int64}")
            .shape(in -> {
              Shapes.fromSizes(in, 2);
              return List.of(Shape.SCALAR);
            })
            .stateless(call -> set(call, scatter(call))),
        Op.define(
                "TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type", "shape_type: {int32, int64}")
            .shape(TensorListJoinOps::splitRule)
            .stateless(call -> set(call, split(call))));
  }

  private static void set(KernelCall call, TensorList list) {
    call.setOutput(0, Tensor.variant(list));
  }

  /** Input 0, a list of the dtype that {@code node} says. */
  static TensorList list(KernelCall call, NodeSpec node) {
    TensorList list = TensorList.of(call.input(0));
    list.checkType(node.attrs().type("element_dtype"));
    return list;
  }

  private static void stack(KernelCall call, NodeSpec node) {
    TensorList list = list(call, node);
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
    list.items().forEachSet((i, tensor) -> copy(tensor, stacked, i * width));
    call.setOutput(0, stacked);
  }

  static void copy(Tensor tensor, Tensor to, int at) {
    to.dtype().kind().copy(tensor.array(), tensor.offset(), to.array(), at, tensor.elements());
  }

  private static void gather(KernelCall call, NodeSpec node) {
    TensorList list = list(call, node);
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
        copy(item, gathered, i * width);
      }
    }
    call.setOutput(0, gathered);
  }

  private static TensorList fromTensor(KernelCall call) {
    Tensor tensor = call.input(0);
    Shape shape = TensorList.shapeFrom(call.input(1));
    checkVector(tensor);
    checkElements(shape, tensor);
    return new TensorList(
        TensorVector.of(rows(tensor)), tensor.dtype(), shape, TensorList.UNBOUNDED);
  }

  static void checkVector(Tensor tensor) {
    if (tensor.shape().rank() == 0) {
      throw invalidArgument("Tensor must be at least a vector, but saw shape: %s", tensor.shape());
    }
  }

  private static void checkElements(Shape elementShape, Tensor tensor) {
    Shape rowShape = tensor.shape().dropFirst(1);
    if (!elementShape.isCompatibleWith(rowShape)) {
      throw invalidArgument(
          "Specified a list with shape %s from a tensor with shape %s", elementShape, rowShape);
    }
  }

  static List<Tensor> rows(Tensor tensor) {
    List<Tensor> rows = new ArrayList<>();
    for (int i = 0; i < tensor.shape().size(0); i++) {
      rows.add(tensor.row(i));
    }
    return rows;
  }

  private static TensorList scatter(KernelCall call) {
    Tensor tensor = call.input(0);
    Tensor indices = call.input(1);
    Shape shape = TensorList.shapeFrom(call.input(2));
    checkVector(tensor);
    checkElements(shape, tensor);
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
    int size = TensorListOps.integer(call, 3, "num_elements");
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

  private static List<Shape> splitRule(ShapeRule.Inputs in) {
    Shape tensor = in.shape(0);
    Shapes.checkRankAtLeast(tensor, 1);
    Shapes.withRank(in.shape(2), 1);
    Shape element =
        tensor.isUnknownRank() ? tensor : tensor.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION);
    Shapes.merge(element, Shapes.fromSizes(in, 1));
    return List.of(Shape.SCALAR);
  }

  private static TensorList split(KernelCall call) {
    Tensor tensor = call.input(0);
    Shape shape = TensorList.shapeFrom(call.input(1));
    Tensor lengths = call.input(2);
    if (shape.rank() == 0) {
      throw invalidArgument(
          "TensorListSplit requires element_shape to be at least of rank 1, but saw: %s", shape);
    }
    checkVector(tensor);
    Shape rest = shape.isUnknownRank() ? shape : shape.dropFirst(1);
    if (!rest.isCompatibleWith(tensor.shape().dropFirst(1))) {
      throw invalidArgument(
          "tensor shape %s is not compatible with element_shape %s", tensor.shape(), shape);
    }
    if (lengths.shape().rank() != 1) {
      throw invalidArgument("Expected lengths to be a vector, received shape: %s", lengths.shape());
    }
    return new TensorList(
        TensorVector.of(parts(tensor, lengths)), tensor.dtype(), shape, TensorList.UNBOUNDED);
  }

  private static List<Tensor> parts(Tensor tensor, Tensor lengths) {
    long size = tensor.shape().size(0);
    List<Tensor> parts = new ArrayList<>();
    long start = 0;
    for (long length : lengths.integers()) {
      if (length < 0) {
        throw invalidArgument("Invalid value in lengths: %d", length);
      }
      if (length > size - start) {
        throw invalidArgument(
            "Attempting to slice [%d, %d] from tensor with length %d", start, start + length, size);
      }
      parts.add(tensor.rows((int) start, (int) (start + length)));
      start += length;
    }
    if (start != size) {
      throw invalidArgument(
          "Unused values in tensor. Length of tensor: %d Values used: %d", size, start);
    }
    return parts;
  }
}

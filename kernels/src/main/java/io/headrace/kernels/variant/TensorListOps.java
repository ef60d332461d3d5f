package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * Tensor lists, which back the TensorArrays of TensorFlow 2 loops: their creation, their elements
 * by index, size and element shape, and the concatenation of two lists.
 */
final class TensorListOps {
  private static final String[] SHAPED = {"element_dtype: type", "shape_type: {int32, int64}"};

  private TensorListOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "EmptyTensorList(element_shape: shape_type, max_num_elements: int32)"
                    + " -> handle: variant")
            .attrs(SHAPED)
            .shape(in -> scalar(in, 0))
            .kernel(node -> {
              DataType dtype = node.attrs().type("element_dtype");
              return call -> set(call, empty(call, dtype));
            }),
        Op.define(
                "TensorListReserve(element_shape: shape_type, num_elements: int32)"
                    + " -> handle: variant")
            .attrs(SHAPED)
            .shape(in -> scalar(in, 0))
            .kernel(node -> {
              DataType dtype = node.attrs().type("element_dtype");
              return call -> set(call, reserve(call, dtype));
            }),
        Op.define(
                "TensorListSetItem(input_handle: variant, index: int32, item: element_dtype)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type", "resize_if_index_out_of_bounds: bool = false")
            .shape(ShapeFunctions.SCALAR)
            .kernel(node -> {
              boolean grows = node.attrs().bool("resize_if_index_out_of_bounds");
              return call -> set(call, setItem(call, grows));
            }),
        Op.define(
                "TensorListGetItem(input_handle: variant, index: int32, element_shape: Tshape)"
                    + " -> item: element_dtype")
            .attrs("element_dtype: type", "Tshape: {int32, int64} = int32")
            .shape(in -> List.of(Shapes.fromSizes(in, 2)))
            .kernel(node -> {
              DataType dtype = node.attrs().type("element_dtype");
              return call -> call.setOutput(0, getItem(call, dtype));
            }),
        Op.define("TensorListLength(input_handle: variant) -> length: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(
                call -> call.setOutput(0, Tensor.scalar(TensorList.of(call.input(0)).size()))),
        Op.define("TensorListResize(input_handle: variant, size: int32) -> output_handle: variant")
            .shape(in -> {
              Shapes.withRank(in.shape(1), 0);
              return List.of(Shape.SCALAR);
            })
            .stateless(TensorListOps::resize),
        Op.define("TensorListElementShape(input_handle: variant) -> element_shape: shape_type")
            .attrs("shape_type: {int32, int64}")
            .kernel(node -> {
              DataType type = node.attrs().type("shape_type");
              return call -> call.setOutput(0, elementShape(TensorList.of(call.input(0)), type));
            }),
        Op.define("TensorListConcatLists(input_a: variant, input_b: variant) -> output: variant")
            .attrs("element_dtype: type")
            .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
            .kernel(node -> call -> concatLists(call, node)));
  }

  private static List<Shape> scalar(ShapeFunction.Inputs in, int shapeInput) {
    Shapes.fromSizes(in, shapeInput);
    return List.of(Shape.SCALAR);
  }

  static void set(KernelCall call, TensorList list) {
    call.setOutput(0, Tensor.variant(list));
  }

  /** The integer in an input of one element; {@code name} is for messages. */
  static int integer(KernelCall call, int input, String name) {
    Tensor value = call.input(input);
    if (value.elements() != 1) {
      throw invalidArgument("%s must be a scalar, and is %s", name, value.typeAndShape());
    }
    return (int) value.integer(0);
  }

  /** The list in input 0; INVALID_ARGUMENT unless it has the attr {@code element_dtype}. */
  static TensorList list(KernelCall call, NodeSpec node) {
    TensorList list = TensorList.of(call.input(0));
    list.checkType(node.attrs().type("element_dtype"));
    return list;
  }

  static void copy(Tensor tensor, Tensor to, int at) {
    to.dtype()
        .kind()
        .copy(
            TensorMemory.array(tensor),
            TensorMemory.offset(tensor),
            TensorMemory.array(to),
            at,
            tensor.elements());
  }

  static void checkVector(Tensor tensor) {
    if (tensor.shape().rank() == 0) {
      throw invalidArgument("Tensor must be at least a vector, but saw shape: %s", tensor.shape());
    }
  }

  static void checkRows(Shape elementShape, Tensor tensor) {
    Shape rowShape = tensor.shape().dropFirst(1);
    if (!elementShape.isCompatibleWith(rowShape)) {
      throw invalidArgument(
          "Specified a list with shape %s from a tensor with shape %s", elementShape, rowShape);
    }
  }

  private static TensorList empty(KernelCall call, DataType dtype) {
    if (call.input(1).shape().rank() != 0) {
      throw invalidArgument(
          "max_num_elements expected to be a scalar but got shape: %s", call.input(1).shape());
    }
    return new TensorList(
        TensorVector.EMPTY,
        dtype,
        TensorList.shapeFrom(call.input(0)),
        integer(call, 1, "max_num_elements"));
  }

  private static TensorList reserve(KernelCall call, DataType dtype) {
    Shape shape = TensorList.shapeFrom(call.input(0));
    if (call.input(1).shape().rank() != 0) {
      throw invalidArgument(
          "The num_elements to reserve must be a tensor size 1, but got %s", call.input(1).shape());
    }
    int size = integer(call, 1, "num_elements");
    if (size < 0) {
      throw invalidArgument(
          "The num_elements to reserve must be a non negative number, but got %d", size);
    }
    return new TensorList(TensorVector.EMPTY.resized(size), dtype, shape, TensorList.UNBOUNDED);
  }

  private static TensorList setItem(KernelCall call, boolean grows) {
    TensorList list = TensorList.of(call.input(0));
    Tensor item = call.input(2);
    list.checkType(item.dtype());
    if (call.input(1).shape().rank() != 0) {
      throw invalidArgument("Expected argument 1 to be a scalar. Received %s", call.input(1));
    }
    int index = integer(call, 1, "index");
    TensorVector items = list.items();
    if (grows && index >= items.size()) {
      items = items.resized(Math.addExact(index, 1));
    }
    if (index < 0 || index >= items.size()) {
      throw invalidArgument(
          "Trying to modify element %d in a list with %d elements.", index, list.size());
    }
    if (!list.elementShape().isCompatibleWith(item.shape())) {
      throw invalidArgument(
          "Tried to set a tensor with incompatible shape at a list index."
              + " Item element shape: %s list shape: %s",
          item.shape(), list.elementShape());
    }
    return list.withItems(items.with(index, item));
  }

  private static Tensor getItem(KernelCall call, DataType dtype) {
    TensorList list = TensorList.of(call.input(0));
    list.checkType(dtype);
    int index = integer(call, 1, "index");
    if (index < 0 || index >= list.size()) {
      throw invalidArgument(
          "Trying to access element %d in a list with %d elements.", index, list.size());
    }
    Tensor item = list.items().get(index);
    if (item != null) {
      return item;
    }
    Shape shape =
        withShapesOfElements(
            list, TensorList.merge(TensorList.shapeFrom(call.input(2)), list.elementShape()));
    if (!shape.isKnown()) {
      throw invalidArgument(
          "Trying to read an uninitialized tensor but element_shape is not fully defined: %s"
              + " and no list element is set.",
          shape);
    }
    return TensorList.zeros(dtype, shape);
  }

  /** {@code shape}, merged with the shapes of the elements if it is not fully known. */
  static Shape withShapesOfElements(TensorList list, Shape shape) {
    if (shape.isKnown()) {
      return shape;
    }
    Shape[] narrowed = {shape};
    list.items()
        .forEachSet((_, tensor) -> narrowed[0] = TensorList.merge(narrowed[0], tensor.shape()));
    return narrowed[0];
  }

  private static void resize(KernelCall call) {
    TensorList list = TensorList.of(call.input(0));
    int size = integer(call, 1, "size");
    if (size < 0) {
      throw invalidArgument("TensorListSlice expects size to be non-negative. Got: %d", size);
    }
    set(call, list.withItems(list.items().resized(size)));
  }

  private static Tensor elementShape(TensorList list, DataType type) {
    Shape shape = list.elementShape();
    return shape.isUnknownRank()
        ? IntegerTensors.scalar(type, Shape.UNKNOWN_DIMENSION)
        : IntegerTensors.vector(type, shape.dimensions());
  }

  private static void concatLists(KernelCall call, NodeSpec node) {
    Tensor a = call.input(0);
    Tensor b = call.input(1);
    DataType dtype = node.attrs().type("element_dtype");
    if (!a.shape().equals(b.shape())) {
      throw invalidArgument(
          "Incompatible input TensorList tensor shapes: %s vs. %s", a.shape(), b.shape());
    }
    Object[] joined = new Object[a.elements()];
    for (int i = 0; i < joined.length; i++) {
      TensorList first = TensorList.ofElement(a, i);
      TensorList second = TensorList.ofElement(b, i);
      checkElements("input_a", i, first, dtype);
      checkElements("input_b", i, second, dtype);
      if (!first.elementShape().equals(second.elementShape())) {
        throw invalidArgument(
            "input_a and input_b TensorList element shapes are not identical at index %d."
                + "  Saw %s vs. %s",
            i, first.elementShape(), second.elementShape());
      }
      joined[i] = first.withItems(appended(first.items(), second.items()));
    }
    call.setOutput(0, Tensor.wrap(DataType.VARIANT, a.shape(), joined));
  }

  private static void checkElements(String input, int index, TensorList list, DataType dtype) {
    if (list.elementType() != dtype) {
      throw invalidArgument(
          "%s[%d].dtype != element_dtype.  Saw: %s vs. %s",
          input, index, list.elementType().tfName(), dtype.tfName());
    }
  }

  private static TensorVector appended(TensorVector first, TensorVector second) {
    TensorVector[] all = {first.resized(Math.addExact(first.size(), second.size()))};
    second.forEachSet((i, tensor) -> all[0] = all[0].with(first.size() + i, tensor));
    return all[0];
  }
}

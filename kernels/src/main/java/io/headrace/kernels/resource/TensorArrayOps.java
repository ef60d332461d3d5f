package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.variable.VariableArithmetic;
import io.headrace.kernels.variant.TensorList;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * TensorArrayV3 and its ops, for TensorFlow 1's while loops. The flow, a float edge from op to op,
 * orders them.
 */
final class TensorArrayOps {
  private static final ShapeFunction HANDLE_AND_FLOW = _ -> List.of(Shape.SCALAR, Shape.SCALAR);

  private TensorArrayOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("TensorArrayV3(size: int32) -> (handle: resource, flow: float)")
            .attrs(
                "dtype: type",
                "element_shape: shape = ?",
                "dynamic_size: bool = false",
                "clear_after_read: bool = true",
                "identical_element_shapes: bool = false",
                "tensor_array_name: string = ''")
            .stateful()
            .shape(HANDLE_AND_FLOW)
            .kernel(TensorArrayOps::create),
        Op.define(
                "TensorArrayGradV3(handle: resource, flow_in: float)"
                    + " -> (grad_handle: resource, flow_out: float)")
            .attrs("source: string")
            .stateful()
            .shape(HANDLE_AND_FLOW)
            .kernel(node -> gradient(node, _ -> Shape.SCALAR)),
        Op.define(
                "TensorArrayGradWithShape(handle: resource, flow_in: float,"
                    + " shape_to_prepend: int32) -> (grad_handle: resource, flow_out: float)")
            .attrs("source: string")
            .stateful()
            .shape(HANDLE_AND_FLOW)
            .kernel(node -> gradient(node, call -> Shape.of(call.input(2).integers()))),
        writing("TensorArrayWriteV3", "index: int32, value: T", TensorArrayOps::write),
        writing("TensorArrayScatterV3", "indices: int32, value: T", TensorArrayOps::scatter),
        writing("TensorArraySplitV3", "value: T, lengths: int64", TensorArrayOps::split),
        Op.define(
                "TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> value: dtype")
            .attrs("dtype: type")
            .stateful()
            .kernel(TensorArrayOps::read),
        Op.define(
                "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float)"
                    + " -> value: dtype")
            .attrs("dtype: type", "element_shape: shape = ?")
            .stateful()
            .kernel(TensorArrayOps::gather),
        Op.define(
                "TensorArrayConcatV3(handle: resource, flow_in: float)"
                    + " -> (value: dtype, lengths: int64)")
            .attrs("dtype: type", "element_shape_except0: shape = ?")
            .stateful()
            .shape(_ -> List.of(Shape.UNKNOWN, Shape.of(Shape.UNKNOWN_DIMENSION)))
            .kernel(TensorArrayOps::concat),
        Op.define(
                "TensorArrayConcatV2(handle: string, flow_in: float)"
                    + " -> (value: dtype, lengths: int64)")
            .attrs("dtype: type", "element_shape_except0: shape = ?")
            .shape(TensorArrayOps::inferByName)
            .remark(
                "Always NOT_FOUND, as in TensorFlow: no op creates arrays with string handles any"
                    + " more.")
            .kernel(TensorArrayOps::concatByName),
        Op.define("TensorArraySizeV3(handle: resource, flow_in: float) -> size: int32")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .stateless(
                call -> call.setOutput(0, Tensor.scalar(TensorArray.of(call.input(0)).size()))),
        Op.define("TensorArrayCloseV3(handle: resource)")
            .stateful()
            .stateless(call -> TensorArray.of(call.input(0)).close()));
  }

  private static Kernel.Sync create(NodeSpec node) {
    Attrs attrs = node.attrs();
    TensorArray.Spec spec =
        new TensorArray.Spec(
            attrs.type("dtype"),
            attrs.shape("element_shape"),
            attrs.bool("dynamic_size"),
            attrs.bool("clear_after_read"),
            attrs.bool("identical_element_shapes"));
    String given = attrs.string("tensor_array_name");
    String name = given.isEmpty() ? node.name() : given;
    return call -> {
      Tensor size = call.input(0);
      if (size.shape().rank() != 0) {
        throw invalidArgument("TensorArray size must be scalar, but had shape: %s", size.shape());
      }
      call.setOutput(0, Tensor.resource(TensorArray.create(name, spec, size.integer(0))));
      call.setOutput(1, Tensor.scalar(0f));
    };
  }

  /** The dimensions that a gradient's elements have before the element's own. */
  @FunctionalInterface
  private interface Prepended {
    Shape of(KernelCall call);
  }

  private static Kernel.Sync gradient(NodeSpec node, Prepended prepended) {
    String source = node.attrs().string("source");
    return call -> {
      TensorArray array = TensorArray.of(call.input(0));
      call.setOutput(0, Tensor.resource(array.gradient(source, prepended.of(call))));
      call.setOutput(1, call.input(1));
    };
  }

  /** Writes the inputs of a call to an array. */
  @FunctionalInterface
  private interface Writer {
    void write(TensorArray array, KernelCall call, BinaryOperator<Tensor> sum);
  }

  private static Op writing(String name, String inputs, Writer writer) {
    return Op.define(name + "(handle: resource, " + inputs + ", flow_in: float) -> flow_out: float")
        .attrs("T: type")
        .stateful()
        .shape(ShapeFunctions.SCALAR)
        .kernel(node -> {
          DataType dtype = node.attrs().type("T");
          boolean canAdd = dtype.isNumber();
          VariableArithmetic sum =
              canAdd
                  ? new VariableArithmetic(node, dtype, node.op().name(), Expression::add)
                  : null;
          return call -> {
            TensorArray array = TensorArray.of(call.input(0));
            if (array.dtype() != dtype) {
              throw invalidArgument(
                  "TensorArray dtype is %s but Op is trying to write dtype %s.",
                  array.dtype().tfName(), dtype.tfName());
            }
            writer.write(
                array,
                call,
                (held, more) -> {
                  if (sum == null) {
                    throw invalidArgument(
                        "tensor_array::AddToTensor type not supported: %s", dtype.tfName());
                  }
                  return sum.of(held, more, call.step());
                });
            call.setOutput(0, call.input(call.inputs() - 1));
          };
        });
  }

  private static void write(TensorArray array, KernelCall call, BinaryOperator<Tensor> sum) {
    array.write(scalarIndex(call.input(1)), call.input(2), sum);
  }

  private static long scalarIndex(Tensor index) {
    if (index.shape().rank() != 0) {
      throw invalidArgument("TensorArray index must be scalar, but had shape: %s", index.shape());
    }
    return index.integer(0);
  }

  private static void scatter(TensorArray array, KernelCall call, BinaryOperator<Tensor> sum) {
    Tensor indices = call.input(1);
    Tensor values = call.input(2);
    checkVector(indices, "indices");
    checkHasRows(values);
    if (indices.elements() != values.shape().size(0)) {
      throw invalidArgument(
          "Expected len(indices) == values.shape[0], but saw: %d vs. %d",
          indices.elements(), values.shape().size(0));
    }
    for (long index : indices.integers()) {
      if (index >= array.size() && !array.isDynamic()) {
        throw invalidArgument(
            "Max scatter index must be < array size (%d vs. %d)", index, array.size());
      }
    }
    for (int i = 0; i < indices.elements(); i++) {
      array.write(indices.integer(i), values.row(i), sum);
    }
  }

  private static void checkVector(Tensor tensor, String what) {
    if (tensor.shape().rank() != 1) {
      throw invalidArgument("Expected %s to be a vector, received shape: %s", what, tensor.shape());
    }
  }

  private static void checkHasRows(Tensor values) {
    if (values.shape().rank() == 0) {
      throw invalidArgument(
          "Expected value to be at least a vector, but received shape: %s", values.shape());
    }
  }

  private static void split(TensorArray array, KernelCall call, BinaryOperator<Tensor> sum) {
    Tensor values = call.input(1);
    Tensor lengths = call.input(2);
    checkVector(lengths, "lengths");
    checkHasRows(values);
    long total = 0;
    for (long length : lengths.integers()) {
      total += length;
      if (length < 0 || total > values.shape().size(0)) {
        break;
      }
    }
    if (total != values.shape().size(0)) {
      throw invalidArgument(
          "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %d and"
              + " value's shape is: %s",
          total, values.shape());
    }
    if (!array.isDynamic() && array.size() != lengths.elements()) {
      throw invalidArgument(
          "TensorArray's size is not equal to the size of lengths (%d vs. %d), and the TensorArray"
              + " is not marked as dynamically resizeable",
          array.size(), lengths.elements());
    }
    int at = 0;
    for (int i = 0; i < lengths.elements(); i++) {
      int end = at + (int) lengths.integer(i);
      array.write(i, values.rows(at, end), sum);
      at = end;
    }
  }

  private static TensorArray typed(KernelCall call, DataType dtype) {
    TensorArray array = TensorArray.of(call.input(0));
    if (array.dtype() != dtype) {
      throw invalidArgument(
          "TensorArray dtype is %s but Op requested dtype %s.",
          array.dtype().tfName(), dtype.tfName());
    }
    return array;
  }

  private static Kernel.Sync read(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    return call -> call.setOutput(0, typed(call, dtype).read(scalarIndex(call.input(1))));
  }

  private static Kernel.Sync gather(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    Shape declared = node.attrs().shape("element_shape");
    return call -> {
      TensorArray array = typed(call, dtype);
      array.narrow(declared);
      Tensor indices = call.input(1);
      checkVector(indices, "indices");
      if (indices.elements() == 0) {
        Shape shape = array.elementShape();
        checkKnown(shape, "element shape %s is not fully defined", "packing");
        call.setOutput(0, TensorList.zeros(dtype, shape.prepend(0)));
        return;
      }
      List<Tensor> values = new ArrayList<>();
      for (long index : indices.integers()) {
        values.add(array.read(index));
      }
      Shape first = values.getFirst().shape();
      for (int i = 1; i < values.size(); i++) {
        if (!values.get(i).shape().equals(first)) {
          throw invalidArgument(
              "TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %d has shape:"
                  + " %s",
              first, i, values.get(i).shape());
        }
      }
      call.setOutput(0, Column.stackRows(values));
    };
  }

  private static void checkKnown(Shape shape, String what, String doing) {
    if (!shape.isKnown()) {
      throw StatusException.unimplemented(
          "TensorArray has size zero, but %s. Currently only static shapes are supported when %s"
              + " zero-size TensorArrays.",
          what.formatted(shape), doing);
    }
  }

  private static Kernel.Sync concat(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    Shape declared = node.attrs().shape("element_shape_except0");
    return call -> {
      TensorArray array = typed(call, dtype);
      int size = array.size();
      if (size == 0) {
        checkKnown(declared, "element_shape_except0 %s is not fully defined", "concatenating");
        call.setOutput(0, TensorList.zeros(dtype, declared.prepend(0)));
        call.setOutput(1, Tensor.vector(new long[0]));
        return;
      }
      List<Tensor> values = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        values.add(array.read(i));
      }
      long[] lengths = new long[size];
      long rows = 0;
      for (int i = 0; i < size; i++) {
        checkSlices(values.getFirst(), values.get(i), i);
        lengths[i] = values.get(i).shape().size(0);
        rows += lengths[i];
      }
      Shape rest = values.getFirst().shape().dropFirst(1);
      Tensor joined = TensorList.zeros(dtype, rest.prepend(rows));
      int at = 0;
      for (Tensor value : values) {
        dtype
            .kind()
            .copy(
                TensorMemory.array(value),
                TensorMemory.offset(value),
                TensorMemory.array(joined),
                at,
                value.elements());
        at += value.elements();
      }
      call.setOutput(0, joined);
      call.setOutput(1, Tensor.vector(lengths));
    };
  }

  private static List<Shape> inferByName(ShapeFunction.Inputs in) {
    var _ = Shapes.merge(in.shape(0), Shape.of(2));
    return List.of(Shape.UNKNOWN, Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  /** TensorArrayConcatV2, whose string handle no op can create: fails with NOT_FOUND. */
  private static Kernel.Sync concatByName(NodeSpec node) {
    return call -> {
      Tensor handle = call.input(0);
      if (!handle.shape().equals(Shape.of(2))) {
        throw invalidArgument(
            "Tensor array handle must be 2-element vector, but had shape: %s", handle.shape());
      }
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "node %s: no op made a TensorArray with the handle [%s, %s]: TensorArrayV2 was removed"
              + " from TensorFlow, use TensorArrayV3 and TensorArrayConcatV3",
          node.name(),
          ByteStrings.text(handle.string(0)),
          ByteStrings.text(handle.string(1)));
    };
  }

  private static void checkSlices(Tensor first, Tensor value, int index) {
    if (value.shape().rank() == 0) {
      throw invalidArgument(
          "Concat saw a scalar shape at index %d but requires at least vectors.  Did you mean to"
              + " call pack?",
          index);
    }
    Shape rest = value.shape().dropFirst(1);
    Shape expected = first.shape().dropFirst(1);
    if (!rest.equals(expected)) {
      throw invalidArgument(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but"
              + " index %d has (excepting dimension 0) shape: %s",
          expected, index, rest);
    }
  }
}

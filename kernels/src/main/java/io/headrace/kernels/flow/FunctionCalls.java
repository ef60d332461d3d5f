package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Helpers of the ops that run functions: arguments, results, conditions and shapes. */
final class FunctionCalls {
  /** The shapes of the attr {@code output_shapes}; unknown where it does not list every output. */
  static final ShapeFunction DECLARED_SHAPES =
      inputs -> {
        List<Shape> declared = inputs.attrs().shapes("output_shapes");
        int outputs = inputs.attrs().types(inputs.attrs().has("Tout") ? "Tout" : "T").size();
        return declared.size() == outputs ? declared : Collections.nCopies(outputs, Shape.UNKNOWN);
      };

  private FunctionCalls() {}

  /** Instantiates the function that {@code attr} of {@code node} names. */
  static CallableFunction instantiate(NodeSpec node, String attr) {
    return node.functions().instantiate(node.attrs().function(attr));
  }

  /** Calls {@code function} with all inputs but the first, and sets the outputs to its results. */
  static void forward(KernelCall call, CallableFunction function) {
    setOutputs(call, function.call(arguments(call, 1), call.step()));
  }

  /** The inputs of {@code call} from input {@code first} on. */
  static List<Tensor> arguments(KernelCall call, int first) {
    List<Tensor> arguments = new ArrayList<>();
    for (int i = first; i < call.inputs(); i++) {
      arguments.add(call.input(i));
    }
    return arguments;
  }

  static void setOutputs(KernelCall call, List<Tensor> values) {
    for (int i = 0; i < values.size(); i++) {
      call.setOutput(i, values.get(i));
    }
  }

  /**
   * The truth value of a condition. A scalar is true unless it is zero or the empty string; any
   * other tensor is true if it has elements.
   */
  static boolean isTrue(Tensor value) {
    if (value.shape().rank() != 0) {
      return value.elements() > 0;
    }
    return switch (value.dtype()) {
      case BOOL -> value.bool(0);
      case STRING -> value.string(0).length > 0;
      case INT32, INT64 -> value.integer(0) != 0;
      case FLOAT32 -> value.floats()[0] != 0;
      case FLOAT64 -> value.doubles()[0] != 0;
      case INT8, UINT8 -> value.bytes()[0] != 0;
      case INT16 -> value.shorts()[0] != 0;
      default ->
          throw StatusException.invalidArgument(
              "%s cannot be converted to a boolean", value.dtype().tfName());
    };
  }
}

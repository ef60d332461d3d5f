package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.GatherOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/** ScatterUpdate, ScatterAdd and the like over rows of a variable, by reference and by handle. */
final class ScatterUpdateOps {
  private static final String INDICES = "Tindices: {int32, int64}";

  private ScatterUpdateOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (Combiner combining : Combiner.values()) {
      String name = name(combining);
      String types = types(combining);
      ops.add(
          Op.define(
                  "ResourceScatter"
                      + name
                      + "(resource: resource, indices: Tindices, updates: dtype)")
              .attrs("dtype: " + types, INDICES)
              .stateful()
              .shape(_ -> List.of())
              .stateless(call -> scatterRows(call, combining)));
      ops.add(
          Op.define(
                  "Scatter"
                      + name
                      + "(ref: Ref(T), indices: Tindices, updates: T)"
                      + " -> output_ref: Ref(T)")
              .attrs("T: " + types, INDICES, locking(combining == Combiner.UPDATE))
              .shape(ShapeFunctions.SAME)
              .stateless(call -> {
                scatterRows(call, combining);
                call.setOutput(0, call.input(0));
              }));
    }
    return ops;
  }

  static String name(Combiner combining) {
    return switch (combining) {
      case UPDATE -> "Update";
      case ADD -> "Add";
      case SUB -> "Sub";
      case MUL -> "Mul";
      case DIV -> "Div";
      case MIN -> "Min";
      case MAX -> "Max";
    };
  }

  static String types(Combiner combining) {
    return switch (combining) {
      case UPDATE -> "type";
      case ADD, SUB, MUL, DIV -> "number";
      case MIN, MAX -> "{floating, int32, int64}";
    };
  }

  static String locking(boolean byDefault) {
    return "use_locking: bool = " + byDefault;
  }

  private static void scatterRows(KernelCall call, Combiner combining) {
    VariableResource variable = variable(call);
    Tensor indices = call.input(1);
    Tensor updates = call.input(2);
    VariableResource.withLocks(
        List.of(variable),
        () -> {
          Shape shape = variable.lockedValue().shape();
          checkRows(shape, indices, updates);
          Object array = variable.writableArray();
          int width = shape.dropFirst(1).elements();
          Tensor repeated = updates.shape().rank() == 0 ? repeated(updates, width) : updates;
          int step = updates.shape().rank() == 0 ? 0 : width;
          for (int i = 0; i < indices.elements(); i++) {
            call.cancellation().check();
            combine(
                combining,
                array,
                (int) indices.integer(i) * width,
                repeated,
                TensorMemory.offset(repeated) + i * step,
                width);
          }
        });
  }

  static VariableResource variable(KernelCall call) {
    return ResourceVariableOps.typed(call.input(0), call.input(2).dtype());
  }

  private static Tensor repeated(Tensor scalar, int count) {
    DataType dtype = scalar.dtype();
    Object array = dtype.kind().newArray(count);
    for (int i = 0; i < count; i++) {
      dtype.kind().copy(TensorMemory.array(scalar), TensorMemory.offset(scalar), array, i, 1);
    }
    return Tensor.wrap(dtype, Shape.of(count), array);
  }

  private static void checkRows(Shape shape, Tensor indices, Tensor updates) {
    if (shape.rank() < 1) {
      throw invalidArgument("params must be at least 1-D, got shape %s", shape);
    }
    if (indices.elements() == 0) {
      return; // TensorFlow does nothing, whatever the updates' shape.
    }
    Shape expected = Shapes.concat(indices.shape(), shape.dropFirst(1));
    if (updates.shape().rank() != 0 && !updates.shape().equals(expected)) {
      throw invalidArgument(
          "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got"
              + " updates.shape %s, indices.shape %s, params.shape %s",
          updates.shape(), indices.shape(), shape);
    }
    for (int i = 0; i < indices.elements(); i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= shape.size(0)) {
        throw invalidArgument(
            "indices%s = %d is not in [0, %d)",
            GatherOps.position(indices.shape(), i), index, shape.size(0));
      }
    }
  }

  private static void combine(
      Combiner combining, Object to, int at, Tensor updates, int from, int count) {
    try {
      combining.into(updates.dtype(), to, at, TensorMemory.array(updates), from, count);
    } catch (ArithmeticException e) {
      throw new StatusException(StatusCode.INVALID_ARGUMENT, "Integer division by zero", e);
    }
  }
}

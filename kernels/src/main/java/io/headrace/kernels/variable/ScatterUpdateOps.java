package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.movement.GatherOps;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
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
              .stateless(call -> scatterRows(call, combining, false)));
      ops.add(
          Op.define(
                  "Scatter"
                      + name
                      + "(ref: Ref(T), indices: Tindices, updates: T)"
                      + " -> output_ref: Ref(T)")
              .attrs("T: " + types, INDICES, locking(combining == Combiner.UPDATE))
              .shape(ShapeFunctions.SAME)
              .stateless(call -> {
                scatterRows(call, combining, true);
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

  /**
   * Combines rows.
   *
   * @param isReference whether the variable is one behind a reference; TensorFlow checks the shapes
   *     of those alone if there is no index
   */
  private static void scatterRows(KernelCall call, Combiner combining, boolean isReference) {
    VariableResource variable = variable(call);
    Tensor indices = call.input(1);
    Tensor updates = call.input(2);
    VariableResource.withLocks(
        List.of(variable),
        () -> {
          Shape shape = variable.lockedValue().shape();
          checkShapes(shape, indices.shape(), updates.shape(), isReference);
          if (combining == Combiner.DIV && (!isReference || updates.dtype().isInteger())) {
            checkDivisor(updates);
          }
          checkIndices(shape, indices);
          Object array = variable.writableArray();
          int width = shape.dropFirst(1).elements();
          Tensor repeated = updates.shape().rank() == 0 ? repeated(updates, width) : updates;
          int step = updates.shape().rank() == 0 ? 0 : width;
          for (int i = 0; i < indices.elements(); i++) {
            call.cancellation().check();
            combining.into(
                updates.dtype(),
                array,
                (int) indices.integer(i) * width,
                TensorMemory.array(repeated),
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

  private static void checkShapes(Shape shape, Shape indices, Shape updates, boolean isReference) {
    if (shape.rank() < 1) {
      throw invalidArgument("params must be at least 1-D, got shape %s", shape);
    }
    Shape expected = Shapes.concat(indices, shape.dropFirst(1));
    boolean fits =
        (isReference || indices.elements() > 0)
            ? updates.equals(expected)
            : updates.rank() == expected.rank();
    if (updates.rank() != 0 && !fits) {
      throw invalidArgument(
          "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got"
              + " updates.shape %s, indices.shape %s, params.shape %s",
          updates, indices, shape);
    }
  }

  /** TensorFlow refuses a divisor of 0, of a resource variable whatever the dtype. */
  private static void checkDivisor(Tensor updates) {
    DataType dtype = updates.dtype();
    int parts = dtype.isComplex() ? 2 : 1;
    int from = TensorMemory.offset(updates) * parts;
    for (int i = 0; i < updates.elements(); i++) {
      boolean isZero = true;
      for (int part = 0; part < parts; part++) {
        int at = from + i * parts + part;
        isZero &= NumericElements.real(dtype.partType(), TensorMemory.array(updates), at) == 0;
      }
      if (isZero) {
        throw invalidArgument("updates must not contain 0");
      }
    }
  }

  private static void checkIndices(Shape shape, Tensor indices) {
    for (int i = 0; i < indices.elements(); i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= shape.size(0)) {
        throw invalidArgument(
            "indices%s = %d is not in [0, %d)",
            GatherOps.position(indices.shape(), i), index, shape.size(0));
      }
    }
  }
}

package io.headrace.kernels.variable;

import io.headrace.kernels.kit.ElementwiseDeclarations;
import io.headrace.kernels.kit.SingleOutputCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.ElementwiseKernels;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;

/**
 * A binary elementwise operation on the value of a variable: AssignAdd, AssignSub, accumulation.
 */
public final class VariableArithmetic {
  private final Kernel.Sync kernel;

  /**
   * An operation {@code rule} on values of {@code dtype}, for {@code node}; UNIMPLEMENTED if the
   * dtype has no arithmetic.
   */
  public VariableArithmetic(
      NodeSpec node, DataType dtype, String name, BinaryOperator<Expression> rule) {
    if (!dtype.isNumber()) {
      throw StatusException.unimplemented(
          "op %s (node %s) is not supported for %s", name, node.name(), dtype.tfName());
    }
    Op sum = ElementwiseDeclarations.binary(name, "number", rule);
    AttrValue type = AttrValue.newBuilder().setTypeValue(dtype.number()).build();
    Attrs attrs = new Attrs(node.name(), sum, Map.of("T", type));
    this.kernel = ElementwiseKernels.create(NodeSpec.of(node.name(), sum, attrs, node.functions()));
  }

  /** Computes {@code rule(held, by)}. */
  public Tensor of(Tensor held, Tensor by, StepContext step) {
    SingleOutputCall call = new SingleOutputCall(List.of(held, by), step);
    kernel.compute(call);
    return call.result();
  }
}

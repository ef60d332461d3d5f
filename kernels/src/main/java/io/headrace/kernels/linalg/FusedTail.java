package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.UnaryRules;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What an op that TensorFlow's optimizer made of several does with the result of its product or
 * convolution: the attr {@code fused_ops}, in order, as one loop. BiasAdd, FusedBatchNorm and Add
 * take arguments of their own.
 */
public final class FusedTail {
  private static final String[] ATTRS = {
    "fused_ops: list(string) = []",
    "epsilon: float = 9.999999747378752e-05",
    "leakyrelu_alpha: float = 0.20000000298023224"
  };

  private final NodeSpec node;
  private final DataType dtype;
  private final float epsilon;
  private final float slope;

  /** For each argument whether it is a tensor like the result; a vector of its channels if not. */
  private final List<Boolean> whole = new ArrayList<>();

  private final ElementwiseKernel loop;

  /** The tail of {@code node}, whose product is of {@code dtype}. */
  public FusedTail(NodeSpec node, DataType dtype) {
    this.node = node;
    this.dtype = dtype;
    this.epsilon = node.attrs().floating("epsilon");
    this.slope = node.attrs().floating("leakyrelu_alpha");
    Expression value = new Expression.Input(0, dtype);
    for (String name : node.attrs().strings("fused_ops")) {
      value = then(name, value);
    }
    if (whole.size() != node.attrs().count("num_args")) {
      throw invalidArgument(
          "node %s (op %s): fused_ops %s take %d arguments, and num_args is %d",
          node.name(),
          node.op(),
          node.attrs().strings("fused_ops"),
          whole.size(),
          node.attrs().count("num_args"));
    }
    this.loop = ElementwiseKernel.of(value, Collections.nCopies(whole.size() + 1, dtype));
  }

  private Expression then(String name, Expression x) {
    return switch (name) {
      case "BiasAdd" -> x.add(argument(false));
      case "Add" -> x.add(argument(true));
      case "FusedBatchNorm" -> normalized(x);
      default -> UnaryRules.activation(name, x, slope);
    };
  }

  private Expression argument(boolean isWhole) {
    whole.add(isWhole);
    return new Expression.Input(whole.size(), dtype);
  }

  private Expression normalized(Expression x) {
    Expression scale = argument(false);
    Expression offset = argument(false);
    Expression mean = argument(false);
    Expression variance = argument(false);
    Expression deviation = variance.add(variance.same(epsilon)).apply(ScalarOperation.SQRT);
    return x.sub(mean).mul(scale.div(deviation)).add(offset);
  }

  /** The tail of {@code result}; its arguments are the inputs of the call from {@code first} on. */
  Tensor of(Tensor result, KernelCall call, int first) {
    return of(result, call, first, argument -> argument);
  }

  /** The same, where arguments that are like the result must be {@code arranged} as that is. */
  public Tensor of(Tensor result, KernelCall call, int first, UnaryOperator<Tensor> arranged) {
    if (whole.isEmpty() && node.attrs().strings("fused_ops").isEmpty()) {
      return result;
    }
    Shape shape = result.shape();
    Tensor[] operands = new Tensor[whole.size() + 1];
    operands[0] = result;
    for (int i = 0; i < whole.size(); i++) {
      Tensor given = call.input(first + i);
      Tensor argument = whole.get(i) ? arranged.apply(given) : given;
      Shape expected = whole.get(i) ? shape : Shape.of(shape.size(shape.rank() - 1));
      if (!argument.shape().equals(expected)) {
        throw invalidArgument(
            "argument %d of node %s (op %s) must have the shape %s, not %s",
            i, node.name(), node.op(), expected, argument.shape());
      }
      operands[i + 1] = argument;
    }
    return loop.apply(operands, 0, call.cancellation());
  }

  /** The attrs of every op that has such a tail. */
  public static String[] attrs() {
    return ATTRS.clone();
  }
}

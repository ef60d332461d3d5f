package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.UnaryCompositionOps;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
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
 * The epilogue of a fused op of TensorFlow's optimizer: the ops of attr {@code fused_ops}, applied
 * in order to the result of a matrix product or convolution, as one elementwise loop. BiasAdd,
 * FusedBatchNorm and Add take operands from the node's args. Immutable.
 */
public final class FusedEpilogue {
  private static final String[] ATTRS = {
    "fused_ops: list(string) = []",
    "epsilon: float = 9.999999747378752e-05",
    "leakyrelu_alpha: float = 0.20000000298023224"
  };

  private final NodeSpec node;
  private final DataType dtype;
  private final float epsilon;
  private final float slope;

  /** For each argument, whether it has the result's shape; otherwise it is a vector of channels. */
  private final List<Boolean> hasResultShape = new ArrayList<>();

  private final ElementwiseKernel loop;
  private final LoopProgram program;

  /**
   * The epilogue of {@code node}, whose product has {@code dtype}. INVALID_ARGUMENT if fused_ops
   * and num_args disagree.
   */
  public FusedEpilogue(NodeSpec node, DataType dtype) {
    this.node = node;
    this.dtype = dtype;
    this.epsilon = node.attrs().floating("epsilon");
    this.slope = node.attrs().floating("leakyrelu_alpha");
    Expression value = new Expression.Input(0, dtype);
    for (String name : node.attrs().strings("fused_ops")) {
      value = append(name, value);
    }
    if (hasResultShape.size() != node.attrs().count("num_args")) {
      throw invalidArgument(
          "node %s (op %s): fused_ops %s take %d arguments, and num_args is %d",
          node.name(),
          node.op(),
          node.attrs().strings("fused_ops"),
          hasResultShape.size(),
          node.attrs().count("num_args"));
    }
    List<DataType> types = Collections.nCopies(hasResultShape.size() + 1, dtype);
    this.loop = ElementwiseKernel.of(value, types);
    this.program = LoopProgram.of(value, types);
  }

  /** The program of the epilogue; operand 0 is the result that it is applied to. */
  LoopProgram program() {
    return program;
  }

  /** For each argument, whether it has the result's shape. */
  List<Boolean> haveResultShape() {
    return List.copyOf(hasResultShape);
  }

  private Expression append(String name, Expression x) {
    return switch (name) {
      case "BiasAdd" -> x.add(argument(false));
      case "Add" -> x.add(argument(true));
      case "FusedBatchNorm" -> normalize(x);
      default -> UnaryCompositionOps.activation(name, x, slope);
    };
  }

  private Expression argument(boolean resultShaped) {
    hasResultShape.add(resultShaped);
    return new Expression.Input(hasResultShape.size(), dtype);
  }

  private Expression normalize(Expression x) {
    Expression scale = argument(false);
    Expression offset = argument(false);
    Expression mean = argument(false);
    Expression variance = argument(false);
    Expression deviation = variance.add(variance.same(epsilon)).apply(ScalarOperation.SQRT);
    return x.sub(mean).mul(scale.div(deviation)).add(offset);
  }

  /** Applies the epilogue to {@code result}; its arguments begin at input {@code first}. */
  Tensor of(Tensor result, KernelCall call, int first) {
    return of(result, call, first, argument -> argument);
  }

  /**
   * Applies the epilogue to {@code result}; its arguments are the call's inputs from {@code first}
   * on.
   *
   * @param arranged converts an argument of the result's shape to the result's layout
   */
  public Tensor of(Tensor result, KernelCall call, int first, UnaryOperator<Tensor> arranged) {
    if (hasResultShape.isEmpty() && node.attrs().strings("fused_ops").isEmpty()) {
      return result;
    }
    Shape shape = result.shape();
    Tensor[] operands = new Tensor[hasResultShape.size() + 1];
    operands[0] = result;
    for (int i = 0; i < hasResultShape.size(); i++) {
      Tensor given = call.input(first + i);
      Tensor argument = hasResultShape.get(i) ? arranged.apply(given) : given;
      Shape expected = hasResultShape.get(i) ? shape : Shape.of(shape.size(shape.rank() - 1));
      if (!argument.shape().equals(expected)) {
        throw invalidArgument(
            "argument %d of node %s (op %s) must have the shape %s, not %s",
            i, node.name(), node.op(), expected, argument.shape());
      }
      operands[i + 1] = argument;
    }
    return loop.apply(operands, 0, call.cancellation());
  }

  /** The attrs that every op with an epilogue has. */
  public static String[] attrs() {
    return ATTRS.clone();
  }
}

package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ElementwiseDeclarations;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Unary expressions by op name, for ops that Grappler fuses: {@code _UnaryOpsComposition} applies a
 * list of unary ops, and {@link #activation} is the activation of a fused op such as {@code
 * _FusedMatMul}.
 */
public final class UnaryCompositionOps {
  private static final Set<String> COMPOSABLE =
      Set.of(
          "Abs",
          "Acos",
          "Acosh",
          "Asin",
          "Asinh",
          "Atan",
          "Atanh",
          "Ceil",
          "Cos",
          "Cosh",
          "Expm1",
          "Exp",
          "Floor",
          "Inv",
          "Log",
          "Log1p",
          "Neg",
          "Reciprocal",
          "Rint",
          "Round",
          "Rsqrt",
          "Sigmoid",
          "Sin",
          "Sinh",
          "Sqrt",
          "Square",
          "Tan",
          "Tanh",
          "Elu",
          "Relu",
          "Relu6",
          "Selu");

  private static final Set<String> ACTIVATIONS =
      Set.of("Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid");

  private static final Map<String, Op> OPS =
      Stream.of(UnaryMathOps.OPS, ArithmeticOps.OPS, ActivationOps.OPS)
          .flatMap(List::stream)
          .filter(op -> COMPOSABLE.contains(op.name()) || ACTIVATIONS.contains(op.name()))
          .collect(Collectors.toMap(Op::name, Function.identity()));

  private UnaryCompositionOps() {}

  /** The declaration of {@code _UnaryOpsComposition}. */
  static List<Op> ops() {
    return List.of(
        Op.define("_UnaryOpsComposition(x: T) -> y: T")
            .attrs("T: {float, half, double}", "op_names: list(string)")
            .scalar((in, attrs) -> {
              Expression value = in.getFirst();
              for (String name : attrs.strings("op_names")) {
                value = composed(name, value);
              }
              return value;
            }));
  }

  private static Expression composed(String name, Expression x) {
    if (!COMPOSABLE.contains(name)) {
      throw invalidArgument("_UnaryOpsComposition is of no op %s", name);
    }
    return apply(name, x, Map.of());
  }

  /**
   * The activation {@code name} applied to {@code x}.
   *
   * @param slope the slope of LeakyRelu below zero
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT for an op that cannot be
   *     fused
   */
  public static Expression activation(String name, Expression x, float slope) {
    return switch (name) {
      case "GeluApproximate" ->
          ElementwiseDeclarations.within(DataType.FLOAT64, UnaryCompositionOps::geluApproximate)
              .apply(x);
      case "GeluExact" ->
          ElementwiseDeclarations.within(DataType.FLOAT64, UnaryCompositionOps::gelu).apply(x);
      case "LeakyRelu" ->
          apply(name, x, Map.of("alpha", AttrValue.newBuilder().setF(slope).build()));
      default -> {
        if (!ACTIVATIONS.contains(name)) {
          throw invalidArgument("%s is no op that can be fused with what comes before it", name);
        }
        yield apply(name, x, Map.of());
      }
    };
  }

  private static Expression apply(String name, Expression x, Map<String, AttrValue> values) {
    Op op = OPS.get(name);
    if (op == null) {
      throw new IllegalStateException("no op " + name);
    }
    Attrs attrs = new Attrs(name, op, values);
    return op.scalarRule(attrs).orElseThrow().apply(List.of(x), attrs);
  }

  private static Expression geluApproximate(Expression x) {
    Expression cubic = x.add(x.same(0.044715).mul(x).mul(x).mul(x));
    Expression tanh = cubic.mul(x.same(Math.sqrt(2 / Math.PI))).apply(ScalarOperation.TANH);
    return x.same(0.5).mul(x).mul(x.same(1).add(tanh));
  }

  private static Expression gelu(Expression x) {
    Expression erf = x.mul(x.same(Math.sqrt(0.5))).apply(ScalarOperation.ERF);
    return x.same(0.5).mul(x).mul(x.same(1).add(erf));
  }
}

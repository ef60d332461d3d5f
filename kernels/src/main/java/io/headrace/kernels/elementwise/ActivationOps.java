package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.GRADIENT_BROADCASTS;
import static io.headrace.kernels.kit.ElementwiseDeclarations.within;
import static io.headrace.runtime.expression.Expression.select;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * Activations of neural networks and their gradients: Relu, Relu6, LeakyRelu, Elu, Selu, Softplus
 * and Softsign. Sigmoid and Tanh are in {@link UnaryMathOps}.
 */
final class ActivationOps {
  private static final double SELU_SCALE = 1.0507009873554805;
  private static final double SELU_SCALE_ALPHA = 1.7580993408473768;

  private static final Op LEAKY_RELU =
      Op.define("LeakyRelu(features: T) -> activations: T")
          .attrs("alpha: float = 0.20000000298023224", "T: floating = float")
          .scalar((in, attrs) -> leakyRelu(in.getFirst(), attrs.floating("alpha")));

  private static final Op LEAKY_RELU_GRAD =
      Op.define("LeakyReluGrad(gradients: T, features: T) -> backprops: T")
          .attrs("alpha: float = 0.20000000298023224", "T: floating = float")
          .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
          .remark(GRADIENT_BROADCASTS)
          .scalar((in, attrs) -> {
            Expression gradient = in.get(0);
            return select(
                isPositive(in.get(1)),
                gradient,
                gradient.mul(gradient.same(attrs.floating("alpha"))));
          });

  static final List<Op> OPS =
      List.of(
          activation("Relu", "real", x -> x.max(x.same(0))),
          gradient("ReluGrad", "features", "real", (dy, x) -> gatedBy(isPositive(x), dy)),
          activation("Relu6", "real", x -> x.max(x.same(0)).min(x.same(6))),
          gradient("Relu6Grad", "features", "real", ActivationOps::relu6Gradient),
          LEAKY_RELU,
          LEAKY_RELU_GRAD,
          activation("Elu", "floating", within(DataType.FLOAT64, ActivationOps::elu)),
          gradient("EluGrad", "outputs", "floating", ActivationOps::eluGradient),
          activation("Selu", "floating", within(DataType.FLOAT64, ActivationOps::selu)),
          gradient("SeluGrad", "outputs", "floating", ActivationOps::seluGradient),
          activation("Softplus", "floating", within(DataType.FLOAT64, ActivationOps::softplus)),
          gradient("SoftplusGrad", "features", "floating", ActivationOps::softplusGradient),
          activation("Softsign", "floating", x -> x.div(x.same(1).add(x.abs()))),
          gradient("SoftsignGrad", "features", "floating", ActivationOps::softsignGradient));

  private ActivationOps() {}

  private static Op activation(String name, String types, UnaryOperator<Expression> rule) {
    return Op.define(name + "(features: T) -> activations: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  private static Op gradient(
      String name, String of, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(gradients: T, " + of + ": T) -> backprops: T")
        .attrs("T: " + types)
        .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
        .remark(GRADIENT_BROADCASTS)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  private static Expression elu(Expression x) {
    return select(x.lessThan(x.same(0)), x.apply(ScalarOperation.EXPM1), x);
  }

  private static Expression selu(Expression x) {
    Expression below = x.apply(ScalarOperation.EXPM1).mul(x.same(SELU_SCALE_ALPHA));
    return select(x.lessThan(x.same(0)), below, x.mul(x.same(SELU_SCALE)));
  }

  private static Expression leakyRelu(Expression x, float alpha) {
    return select(x.same(0).lessThan(x), x, x.mul(x.same(alpha)));
  }

  /** log(1 + e^x), rearranged to avoid overflow and cancellation. */
  private static Expression softplus(Expression x) {
    return x.max(x.same(0))
        .add(x.abs().neg().apply(ScalarOperation.EXP).apply(ScalarOperation.LOG1P));
  }

  private static Expression isPositive(Expression x) {
    return x.same(0).lessThan(x);
  }

  /** The gradient times 1 or 0; as in TensorFlow, an infinite gradient times 0 is NaN. */
  private static Expression gatedBy(Expression condition, Expression gradient) {
    return gradient.mul(condition.convert(gradient.dtype()));
  }

  private static Expression relu6Gradient(Expression dy, Expression x) {
    return gatedBy(isPositive(x).and(x.lessThan(x.same(6))), dy);
  }

  private static Expression eluGradient(Expression dy, Expression y) {
    return select(y.lessThan(y.same(0)), y.add(y.same(1)).mul(dy), dy);
  }

  private static Expression seluGradient(Expression dy, Expression y) {
    return select(
        y.lessThan(y.same(0)),
        dy.mul(y.add(y.same(SELU_SCALE_ALPHA))),
        dy.mul(dy.same(SELU_SCALE)));
  }

  private static Expression softplusGradient(Expression dy, Expression x) {
    return dy.div(x.neg().apply(ScalarOperation.EXP).add(x.same(1)));
  }

  private static Expression softsignGradient(Expression dy, Expression x) {
    Expression root = x.abs().add(x.same(1));
    return dy.div(root.mul(root));
  }
}

package io.headrace.kernels.elementwise;

import static io.headrace.runtime.expression.Expression.select;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import java.util.List;
import java.util.function.BinaryOperator;

/** Gradients of elementwise ops: of a gradient and of what the op took in or gave. */
final class GradientOps {
  private static final String BROADCASTS =
      "Inputs of unequal shapes broadcast, where TensorFlow refuses them.";

  private static final double SELU_SCALE = 1.0507009873554805;
  private static final double SELU_SCALE_ALPHA = 1.7580993408473768;

  private static final Op LEAKY_RELU_GRAD =
      Op.define("LeakyReluGrad(gradients: T, features: T) -> backprops: T")
          .attrs("alpha: float = 0.20000000298023224", "T: floating = float")
          .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
          .remark(BROADCASTS)
          .scalar((in, attrs) -> {
            Expression gradient = in.get(0);
            return select(
                isPositive(in.get(1)),
                gradient,
                gradient.mul(gradient.same(attrs.floating("alpha"))));
          });

  static final List<Op> OPS =
      List.of(
          ofOutput("TanhGrad", (y, dy) -> dy.mul(y.same(1).sub(y.mul(y)))),
          ofOutput("SigmoidGrad", (y, dy) -> dy.mul(y).mul(y.same(1).sub(y))),
          ofOutput("SqrtGrad", GradientOps::sqrt),
          ofOutput("RsqrtGrad", (y, dy) -> dy.same(-0.5).mul(dy.mul(y)).mul(y.mul(y))),
          ofOutput("ReciprocalGrad", GradientOps::reciprocal),
          ofOutput("InvGrad", GradientOps::reciprocal),
          activation("ReluGrad", "features", "real", (dy, x) -> where(isPositive(x), dy)),
          activation("Relu6Grad", "features", "real", GradientOps::relu6),
          activation("EluGrad", "outputs", "floating", GradientOps::elu),
          activation("SeluGrad", "outputs", "floating", GradientOps::selu),
          LEAKY_RELU_GRAD,
          activation("SoftplusGrad", "features", "floating", GradientOps::softplus),
          activation("SoftsignGrad", "features", "floating", GradientOps::softsign));

  private GradientOps() {}

  private static Op ofOutput(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(y: T, dy: T) -> z: T")
        .attrs("T: floating")
        .shape(ShapeRules.SAME)
        .remark(BROADCASTS)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  private static Op activation(
      String name, String of, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(gradients: T, " + of + ": T) -> backprops: T")
        .attrs("T: " + types)
        .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
        .remark(BROADCASTS)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  private static Expression isPositive(Expression x) {
    return x.same(0).lessThan(x);
  }

  /** The gradient times 1 or 0: an infinite one where the condition does not hold becomes NaN. */
  private static Expression where(Expression condition, Expression gradient) {
    return gradient.mul(condition.convert(gradient.dtype()));
  }

  /** No gradient gives none, at zero too. */
  private static Expression sqrt(Expression y, Expression dy) {
    return select(dy.equalTo(dy.same(0)), dy.same(0), dy.same(0.5).mul(dy).div(y));
  }

  private static Expression reciprocal(Expression y, Expression dy) {
    return y.mul(dy.mul(y)).neg();
  }

  private static Expression relu6(Expression dy, Expression x) {
    return where(isPositive(x).and(x.lessThan(x.same(6))), dy);
  }

  private static Expression elu(Expression dy, Expression y) {
    return select(y.lessThan(y.same(0)), y.add(y.same(1)).mul(dy), dy);
  }

  private static Expression selu(Expression dy, Expression y) {
    return select(
        y.lessThan(y.same(0)),
        dy.mul(y.add(y.same(SELU_SCALE_ALPHA))),
        dy.mul(dy.same(SELU_SCALE)));
  }

  private static Expression softplus(Expression dy, Expression x) {
    return dy.div(x.neg().apply(ScalarOperation.EXP).add(x.same(1)));
  }

  private static Expression softsign(Expression dy, Expression x) {
    Expression root = x.abs().add(x.same(1));
    return dy.div(root.mul(root));
  }
}

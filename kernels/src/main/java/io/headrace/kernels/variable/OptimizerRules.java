package io.headrace.kernels.variable;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;

/** The arithmetic of TensorFlow's optimizers, operation by operation as its CPU kernels do it. */
final class OptimizerRules {
  private OptimizerRules() {}

  private static Expression square(Expression x) {
    return x.mul(x);
  }

  private static Expression sqrt(Expression x) {
    return x.apply(ScalarOperation.SQRT);
  }

  /** Rounded once, as TensorFlow's vectors of 16-bit floats are. */
  private static Expression rsqrt(Expression x) {
    if (x.dtype().byteSize() > 2) {
      return x.same(1).div(sqrt(x));
    }
    Expression wide = x.convert(DataType.FLOAT32);
    return wide.same(1).div(sqrt(wide)).convert(x.dtype());
  }

  private static Expression sign(Expression x) {
    return x.apply(ScalarOperation.SIGN);
  }

  /** The greater operand; {@code a} where neither is greater, as with NaN. */
  private static Expression greater(Expression a, Expression b) {
    return Expression.select(a.lessThan(b), b, a);
  }

  /** One minus the argument {@code name}. */
  private static Expression oneMinus(OptimizerUpdate u, String name) {
    return u.number(1).sub(u.get(name));
  }

  static void gradientDescent(OptimizerUpdate u) {
    u.subtract("var", u.get("delta").mul(u.get("alpha")));
  }

  static void momentum(OptimizerUpdate u) {
    Expression lr = u.get("lr");
    u.set("accum", u.get("accum").mul(u.get("momentum")).add(u.get("grad")));
    Expression accum = u.get("accum");
    u.subtract(
        "var",
        u.flag("use_nesterov")
            ? u.get("grad").mul(lr).add(accum.mul(u.get("momentum")).mul(lr))
            : accum.mul(lr));
  }

  static void kerasMomentum(OptimizerUpdate u) {
    Expression step = u.get("grad").mul(u.get("lr"));
    u.set("accum", u.get("accum").mul(u.get("momentum")).sub(step));
    Expression accum = u.get("accum");
    u.add("var", u.flag("use_nesterov") ? accum.mul(u.get("momentum")).sub(step) : accum);
  }

  private static Expression adamRate(OptimizerUpdate u) {
    return u.get("lr").mul(sqrt(oneMinus(u, "beta2_power"))).div(oneMinus(u, "beta1_power"));
  }

  private static void adamMoments(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    u.add("m", gradient.sub(u.get("m")).mul(oneMinus(u, "beta1")));
    u.add("v", square(gradient).sub(u.get("v")).mul(oneMinus(u, "beta2")));
  }

  static void adam(OptimizerUpdate u) {
    adamMoments(u);
    Expression m = u.get("m");
    Expression moment =
        u.flag("use_nesterov")
            ? u.get("grad").mul(oneMinus(u, "beta1")).add(u.get("beta1").mul(m))
            : m;
    u.subtract("var", moment.mul(adamRate(u)).div(sqrt(u.get("v")).add(u.get("epsilon"))));
  }

  static void amsgrad(OptimizerUpdate u) {
    adamMoments(u);
    u.set("vhat", greater(u.get("vhat"), u.get("v")));
    Expression root = sqrt(u.get("vhat")).add(u.get("epsilon"));
    u.subtract("var", u.get("m").mul(adamRate(u)).div(root));
  }

  static void adagrad(OptimizerUpdate u) {
    if (u.flag("update_slots")) {
      u.add("accum", square(u.get("grad")));
    }
    u.subtract("var", u.get("grad").mul(u.get("lr")).mul(rsqrt(u.get("accum"))));
  }

  static void adagradV2(OptimizerUpdate u) {
    if (u.flag("update_slots")) {
      u.add("accum", square(u.get("grad")));
    }
    Expression root = sqrt(u.get("accum")).add(u.get("epsilon"));
    u.subtract("var", u.get("grad").mul(u.get("lr")).div(root));
  }

  static void adagradDualAveraging(OptimizerUpdate u) {
    u.add("gradient_accumulator", u.get("grad"));
    u.add("gradient_squared_accumulator", square(u.get("grad")));
    Expression sum = u.get("gradient_accumulator");
    Expression steps = u.get("global_step");
    Expression lr = u.get("lr");
    Expression beyond = sum.abs().sub(u.get("l1").mul(steps)).max(u.number(0));
    Expression root = sqrt(u.get("gradient_squared_accumulator"));
    Expression scale = u.get("l2").mul(steps).mul(lr).add(root);
    u.set("var", lr.mul(sign(sum).neg()).mul(beyond).div(scale));
  }

  static void rmsProp(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    u.add("ms", square(gradient).sub(u.get("ms")).mul(oneMinus(u, "rho")));
    Expression root = sqrt(u.get("epsilon").add(u.get("ms")));
    Expression step = gradient.mul(u.get("lr")).div(root);
    u.set("mom", u.get("mom").mul(u.get("momentum")).add(step));
    u.subtract("var", u.get("mom"));
  }

  static void centeredRmsProp(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    u.add("ms", square(gradient).sub(u.get("ms")).mul(oneMinus(u, "rho")));
    u.add("mg", gradient.sub(u.get("mg")).mul(oneMinus(u, "rho")));
    Expression variance = u.get("ms").sub(square(u.get("mg"))).add(u.get("epsilon"));
    Expression step = gradient.mul(u.get("lr")).div(sqrt(variance));
    u.set("mom", u.get("mom").mul(u.get("momentum")).add(step));
    u.subtract("var", u.get("mom"));
  }

  static void sparseRmsProp(OptimizerUpdate u) {
    u.set("ms", decayed(u, "ms", square(u.get("grad"))));
    scaledStep(u, u.get("ms").add(u.get("epsilon")));
  }

  static void sparseCenteredRmsProp(OptimizerUpdate u) {
    u.set("ms", decayed(u, "ms", square(u.get("grad"))));
    u.set("mg", decayed(u, "mg", u.get("grad")));
    scaledStep(u, u.get("ms").add(u.get("epsilon")).sub(square(u.get("mg"))));
  }

  private static void scaledStep(OptimizerUpdate u, Expression variance) {
    Expression step = rsqrt(variance).mul(u.get("lr")).mul(u.get("grad"));
    u.set("mom", u.get("mom").mul(u.get("momentum")).add(step));
    u.subtract("var", u.get("mom"));
  }

  static void ftrl(OptimizerUpdate u) {
    selectFtrl(u, u.get("grad"));
  }

  static void ftrlV2(OptimizerUpdate u) {
    selectFtrl(u, u.get("grad").add(ftrlShrinkage(u)));
  }

  static void sparseFtrl(OptimizerUpdate u) {
    clipFtrl(u, u.get("grad"));
  }

  static void sparseFtrlV2(OptimizerUpdate u) {
    clipFtrl(u, u.get("grad").add(ftrlShrinkage(u)));
  }

  private static Expression ftrlShrinkage(OptimizerUpdate u) {
    return u.number(2).mul(u.get("l2_shrinkage")).mul(u.get("var"));
  }

  /** FTRL of all elements: those whose {@code linear} is no greater than the threshold become 0. */
  private static void selectFtrl(OptimizerUpdate u, Expression shrunk) {
    Expression quadratic = ftrlSlots(u, shrunk);
    Expression l1 = ftrlThreshold(u);
    Expression linear = u.get("linear");
    Expression moved = l1.mul(sign(linear)).sub(linear).div(quadratic);
    u.set("var", Expression.select(linear.abs().greaterThan(l1), moved, u.number(0)));
  }

  /**
   * FTRL of rows: {@code linear} is clipped to the threshold. The result differs from {@link
   * #selectFtrl} where the threshold is negative or a number is NaN.
   */
  private static void clipFtrl(OptimizerUpdate u, Expression shrunk) {
    Expression quadratic = ftrlSlots(u, shrunk);
    Expression l1 = ftrlThreshold(u);
    Expression linear = u.get("linear");
    u.set("var", linear.min(l1).max(l1.neg()).sub(linear).div(quadratic));
  }

  private static Expression ftrlThreshold(OptimizerUpdate u) {
    return u.flag("multiply_linear_by_lr") ? u.get("l1").mul(u.get("lr")) : u.get("l1");
  }

  /** Assigns {@code linear} and {@code accum}; the divisor of the new {@code var}. */
  private static Expression ftrlSlots(OptimizerUpdate u, Expression shrunk) {
    boolean scaled = u.flag("multiply_linear_by_lr");
    Expression lr = u.get("lr");
    Expression accum = u.get("accum").add(square(u.get("grad")));
    Expression difference = ftrlPower(u, accum).sub(ftrlPower(u, u.get("accum")));
    u.add(
        "linear",
        scaled
            ? shrunk.mul(lr).sub(difference.mul(u.get("var")))
            : shrunk.sub(difference.div(lr).mul(u.get("var"))));
    u.set("accum", accum);
    Expression power = ftrlPower(u, u.get("accum"));
    Expression l2 = u.number(2).mul(u.get("l2"));
    return scaled ? power.add(l2.mul(lr)) : power.div(lr).add(l2);
  }

  private static Expression ftrlPower(OptimizerUpdate u, Expression accum) {
    return u.isSquareRootPower()
        ? sqrt(accum)
        : accum.apply(ScalarOperation.POW, u.get("lr_power").neg());
  }

  static void adadelta(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    Expression epsilon = u.get("epsilon");
    u.set("accum", decayed(u, "accum", square(gradient)));
    Expression update =
        sqrt(u.get("accum_update").add(epsilon))
            .mul(rsqrt(u.get("accum").add(epsilon)))
            .mul(gradient);
    u.subtract("var", update.mul(u.get("lr")));
    u.set("accum_update", decayed(u, "accum_update", square(update)));
  }

  private static Expression decayed(OptimizerUpdate u, String slot, Expression value) {
    return u.get(slot).mul(u.get("rho")).add(value.mul(oneMinus(u, "rho")));
  }

  static void adaMax(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    u.add("m", gradient.sub(u.get("m")).mul(oneMinus(u, "beta1")));
    u.set("v", greater(u.get("beta2").mul(u.get("v")), gradient.abs()));
    Expression rate = u.get("lr").div(oneMinus(u, "beta1_power"));
    u.subtract("var", rate.mul(u.get("m").div(u.get("v").add(u.get("epsilon")))));
  }

  private static Expression signAgreement(OptimizerUpdate u) {
    Expression gradient = u.get("grad");
    u.set("m", u.get("m").mul(u.get("beta")).add(gradient.mul(oneMinus(u, "beta"))));
    return u.get("sign_decay").mul(sign(gradient).mul(sign(u.get("m"))));
  }

  static void addSign(OptimizerUpdate u) {
    Expression factor = u.get("alpha").add(signAgreement(u));
    u.subtract("var", u.get("lr").mul(factor).mul(u.get("grad")));
  }

  static void powerSign(OptimizerUpdate u) {
    Expression factor = u.get("logbase").mul(signAgreement(u)).apply(ScalarOperation.EXP);
    u.subtract("var", u.get("lr").mul(factor).mul(u.get("grad")));
  }

  static void proximalGradientDescent(OptimizerUpdate u) {
    proximal(u, u.get("delta"), u.get("alpha"));
  }

  static void sparseProximalGradientDescent(OptimizerUpdate u) {
    proximal(u, u.get("grad"), u.get("alpha"));
  }

  static void proximalAdagrad(OptimizerUpdate u) {
    u.add("accum", square(u.get("grad")));
    proximal(u, u.get("grad"), u.get("lr").mul(rsqrt(u.get("accum"))));
  }

  private static void proximal(OptimizerUpdate u, Expression gradient, Expression rate) {
    Expression moved = u.get("var").sub(gradient.mul(rate));
    Expression beyond = moved.abs().sub(rate.mul(u.get("l1"))).max(u.number(0));
    u.set("var", sign(moved).mul(beyond).div(u.number(1).add(u.get("l2").mul(rate))));
  }
}

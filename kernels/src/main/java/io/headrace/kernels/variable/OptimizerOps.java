package io.headrace.kernels.variable;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Optimizer ops: ApplyGradientDescent, ApplyAdam, SparseApplyAdagrad and so on, over resource
 * variables and over references, dense and sparse.
 */
final class OptimizerOps {
  private static final String NESTEROV = "use_nesterov: bool = false";
  private static final String SLOTS = "update_slots: bool = true";
  private static final String SCALED = "multiply_linear_by_lr: bool = false";

  private OptimizerOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    dense(ops);
    sparse(ops);
    return ops;
  }

  private static void dense(List<Op> ops) {
    both(ops, "ApplyGradientDescent", "var", "alpha, delta", OptimizerRules::gradientDescent);
    both(
        ops,
        "ApplyProximalGradientDescent",
        "var",
        "alpha, l1, l2, delta",
        OptimizerRules::proximalGradientDescent);
    String momentum = "lr, grad, momentum";
    both(ops, "ApplyMomentum", "var, accum", momentum, OptimizerRules::momentum, NESTEROV);
    ops.add(
        resource(
            "ApplyKerasMomentum", "var, accum", momentum, OptimizerRules::kerasMomentum, NESTEROV));
    String adam = "beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad";
    both(ops, "ApplyAdam", "var, m, v", adam, OptimizerRules::adam, NESTEROV);
    ops.add(resource("ApplyAdamWithAmsgrad", "var, m, v, vhat", adam, OptimizerRules::amsgrad));
    both(
        ops,
        "ApplyAdaMax",
        "var, m, v",
        "beta1_power, lr, beta1, beta2, epsilon, grad",
        OptimizerRules::adaMax);
    both(ops, "ApplyAdagrad", "var, accum", "lr, grad", OptimizerRules::adagrad, SLOTS);
    both(
        ops, "ApplyAdagradV2", "var, accum", "lr, epsilon, grad", OptimizerRules::adagradV2, SLOTS);
    both(
        ops,
        "ApplyAdagradDA",
        "var, gradient_accumulator, gradient_squared_accumulator",
        "grad, lr, l1, l2, global_step",
        OptimizerRules::adagradDualAveraging);
    both(
        ops,
        "ApplyProximalAdagrad",
        "var, accum",
        "lr, l1, l2, grad",
        OptimizerRules::proximalAdagrad);
    String decays = "lr, rho, momentum, epsilon, grad";
    both(ops, "ApplyRMSProp", "var, ms, mom", decays, OptimizerRules::rmsProp);
    both(ops, "ApplyCenteredRMSProp", "var, mg, ms, mom", decays, OptimizerRules::centeredRmsProp);
    String linear = "var, accum, linear";
    both(ops, "ApplyFtrl", linear, "grad, lr, l1, l2, lr_power", OptimizerRules::ftrl, SCALED);
    both(
        ops,
        "ApplyFtrlV2",
        linear,
        "grad, lr, l1, l2, l2_shrinkage, lr_power",
        OptimizerRules::ftrlV2,
        SCALED);
    both(
        ops,
        "ApplyAdadelta",
        "var, accum, accum_update",
        "lr, rho, epsilon, grad",
        OptimizerRules::adadelta);
    String sign = "sign_decay, beta, grad";
    both(ops, "ApplyAddSign", "var, m", "lr, alpha, " + sign, OptimizerRules::addSign);
    both(ops, "ApplyPowerSign", "var, m", "lr, logbase, " + sign, OptimizerRules::powerSign);
  }

  private static void sparse(List<Op> ops) {
    both(
        ops,
        "SparseApplyProximalGradientDescent",
        "var",
        "alpha, l1, l2, grad, indices",
        OptimizerRules::sparseProximalGradientDescent);
    String momentum = "lr, grad, indices, momentum";
    both(ops, "SparseApplyMomentum", "var, accum", momentum, OptimizerRules::momentum, NESTEROV);
    ops.add(
        resource(
            "SparseApplyKerasMomentum",
            "var, accum",
            momentum,
            OptimizerRules::kerasMomentum,
            NESTEROV));
    both(
        ops,
        "SparseApplyAdagrad",
        "var, accum",
        "lr, grad, indices",
        OptimizerRules::adagrad,
        SLOTS);
    both(
        ops,
        "SparseApplyAdagradV2",
        "var, accum",
        "lr, epsilon, grad, indices",
        OptimizerRules::adagradV2,
        SLOTS);
    both(
        ops,
        "SparseApplyAdagradDA",
        "var, gradient_accumulator, gradient_squared_accumulator",
        "grad, indices, lr, l1, l2, global_step",
        OptimizerRules::adagradDualAveraging);
    both(
        ops,
        "SparseApplyProximalAdagrad",
        "var, accum",
        "lr, l1, l2, grad, indices",
        OptimizerRules::proximalAdagrad);
    String decays = "lr, rho, momentum, epsilon, grad, indices";
    both(ops, "SparseApplyRMSProp", "var, ms, mom", decays, OptimizerRules::sparseRmsProp);
    both(
        ops,
        "SparseApplyCenteredRMSProp",
        "var, mg, ms, mom",
        decays,
        OptimizerRules::sparseCenteredRmsProp);
    String linear = "var, accum, linear";
    both(
        ops,
        "SparseApplyFtrl",
        linear,
        "grad, indices, lr, l1, l2, lr_power",
        OptimizerRules::sparseFtrl,
        SCALED);
    both(
        ops,
        "SparseApplyFtrlV2",
        linear,
        "grad, indices, lr, l1, l2, l2_shrinkage, lr_power",
        OptimizerRules::sparseFtrlV2,
        SCALED);
    both(
        ops,
        "SparseApplyAdadelta",
        "var, accum, accum_update",
        "lr, rho, epsilon, grad, indices",
        OptimizerRules::adadelta);
  }

  private static void both(
      List<Op> ops,
      String name,
      String states,
      String others,
      OptimizerUpdate.Rule rule,
      String... attrs) {
    ops.add(resource(name, states, others, rule, attrs));
    ops.add(reference(name, states, others, rule, attrs));
  }

  private static Op resource(
      String name, String states, String others, OptimizerUpdate.Rule rule, String... attrs) {
    String arguments = arguments(states, "resource") + ", " + arguments(others, "T");
    return declare("Resource" + name + "(" + arguments + ")", others, attrs)
        .stateful()
        .shape(_ -> List.of())
        .kernel(node -> new OptimizerKernel(node, states.split(", ", -1).length, rule));
  }

  private static Op reference(
      String name, String states, String others, OptimizerUpdate.Rule rule, String... attrs) {
    String arguments = arguments(states, "Ref(T)") + ", " + arguments(others, "T");
    return declare(name + "(" + arguments + ") -> out: Ref(T)", others, attrs)
        .shape(ShapeFunctions.SAME)
        .kernel(node -> new OptimizerKernel(node, states.split(", ", -1).length, rule));
  }

  private static Op.Builder declare(String signature, String others, String... attrs) {
    Op.Builder op =
        Op.define(signature).attrs("T: floating", "use_locking: bool = false").attrs(attrs);
    return others.contains("indices") ? op.attrs("Tindices: {int32, int64}") : op;
  }

  private static String arguments(String names, String dtype) {
    return Arrays.stream(names.split(", ", -1))
        .map(name ->
            switch (name) {
              case "indices" -> "indices: Tindices";
              case "global_step" -> "global_step: int64";
              default -> name + ": " + dtype;
            })
        .collect(Collectors.joining(", "));
  }
}

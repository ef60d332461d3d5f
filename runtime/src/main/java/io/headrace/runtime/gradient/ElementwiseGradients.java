package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Gradients of elementwise ops. */
final class ElementwiseGradients {
  private ElementwiseGradients() {}

  private static List<@Nullable Output> quantized(BackpropContext at) {
    List<Output> gradients =
        at.op("QuantizeAndDequantizeV4Grad")
            .input(at.dy())
            .input(at.x(0))
            .input(at.x(1))
            .input(at.x(2))
            .attr("axis", at.attrs().raw("axis"))
            .buildAll();
    return new ArrayList<>(gradients);
  }

  /** The derivative of a function of one variable. */
  @FunctionalInterface
  private interface Derivative {
    Output at(BackpropContext at, Output x);
  }

  static void addTo(Map<String, GradientRule> rules) {
    for (String op :
        List.of("Identity", "RefIdentity", "PlaceholderWithDefault", "ReadVariableOp", "Print")) {
      rules.put(op, at -> first(at, at.dy()));
    }
    rules.put("IdentityN", at -> all(at, at::dy));
    rules.put("AddN", at -> all(at, _ -> at.dy()));
    rules.put("EnsureShape", at -> first(at, at.dy()));
    rules.put("PreventGradient", ElementwiseGradients::prevented);
    rules.put("CheckNumerics", ElementwiseGradients::checkNumerics);
    rules.put("Cast", ElementwiseGradients::cast);
    for (String op : List.of("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")) {
      rules.put(op, at -> first(at, at.dy())); // straight-through estimator
    }
    rules.put("QuantizeAndDequantizeV4", ElementwiseGradients::quantized);
    FakeQuantGradients.addTo(rules);
    addFunctionsOfOneNumber(rules);
    addGradientOps(rules);
    addFunctionsOfTwoNumbers(rules);
    addChoices(rules);
  }

  private static void addFunctionsOfOneNumber(Map<String, GradientRule> rules) {
    rules.put("Neg", at -> first(at, at.dy().neg()));
    rules.put("Sign", at -> first(at, at.zerosLike(at.x(0))));
    chain(rules, "Abs", (at, x) -> at.unary("Sign", x));
    chain(rules, "Square", (at, x) -> x.mul(at.number(2, x.dtype())));
    chain(rules, "Exp", (at, _) -> at.y());
    chain(rules, "Expm1", (_, x) -> x.exp());
    chain(rules, "Log", (at, x) -> at.unary("Reciprocal", x));
    chain(rules, "Log1p", (at, x) -> at.unary("Reciprocal", x.add(at.number(1, x.dtype()))));
    chain(rules, "Sin", (at, x) -> at.unary("Cos", x));
    chain(rules, "Cos", (at, x) -> at.unary("Sin", x).neg());
    chain(rules, "Tan", (at, x) -> at.unary("Reciprocal", at.unary("Cos", x)).square());
    chain(rules, "Sinh", (at, x) -> at.unary("Cosh", x));
    chain(rules, "Cosh", (at, x) -> at.unary("Sinh", x));
    chain(rules, "Asin", (at, x) -> at.unary("Rsqrt", oneMinusSquare(at, x)));
    chain(rules, "Acos", (at, x) -> at.unary("Rsqrt", oneMinusSquare(at, x)).neg());
    chain(
        rules, "Atan", (at, x) -> at.unary("Reciprocal", x.square().add(at.number(1, x.dtype()))));
    chain(rules, "Asinh", (at, _) -> at.unary("Reciprocal", at.unary("Cosh", at.y())));
    chain(rules, "Acosh", (at, _) -> at.unary("Reciprocal", at.unary("Sinh", at.y())));
    chain(rules, "Atanh", (at, x) -> at.unary("Reciprocal", oneMinusSquare(at, x)));
    chain(rules, "Lgamma", (at, x) -> at.unary("Digamma", x));
    chain(rules, "Erf", (at, x) -> bell(at, x, 2 / Math.sqrt(Math.PI)));
    chain(rules, "Erfc", (at, x) -> bell(at, x, -2 / Math.sqrt(Math.PI)));
  }

  private static Output oneMinusSquare(BackpropContext at, Output x) {
    return at.number(1, x.dtype()).sub(x.square());
  }

  private static Output bell(BackpropContext at, Output x, double height) {
    return x.square().neg().exp().mul(at.number(height, x.dtype()));
  }

  /** Ops with a gradient op, which takes the output or the input. */
  private static void addGradientOps(Map<String, GradientRule> rules) {
    Map<String, String> ofOutput =
        Map.of(
            "Sqrt", "SqrtGrad",
            "Rsqrt", "RsqrtGrad",
            "Reciprocal", "ReciprocalGrad",
            "Inv", "InvGrad");
    ofOutput.forEach(
        (op, grad) -> rules.put(op, at -> first(at, at.binary(grad, at.y(), at.dy()))));
    for (String op : List.of("Tanh", "Sigmoid")) {
      rules.put(op, at -> first(at, at.binary(op + "Grad", at.conjugate(at.y()), at.dy())));
    }
    Map<String, String> fromOutput =
        Map.of("Relu", "ReluGrad", "Relu6", "Relu6Grad", "Elu", "EluGrad", "Selu", "SeluGrad");
    fromOutput.forEach(
        (op, grad) -> rules.put(op, at -> first(at, at.binary(grad, at.dy(), at.y()))));
    Map<String, String> fromInput = Map.of("Softplus", "SoftplusGrad", "Softsign", "SoftsignGrad");
    fromInput.forEach(
        (op, grad) -> rules.put(op, at -> first(at, at.binary(grad, at.dy(), at.x(0)))));
    rules.put(
        "LeakyRelu",
        at ->
            first(
                at,
                at.op("LeakyReluGrad")
                    .input(at.dy())
                    .input(at.x(0))
                    .attr("alpha", at.attrs().floating("alpha"))
                    .build()));
  }

  private static void addFunctionsOfTwoNumbers(Map<String, GradientRule> rules) {
    for (String op : List.of("Add", "AddV2")) {
      rules.put(op, at -> at.unbroadcast(at.dy(), at.dy()));
    }
    rules.put("Sub", at -> at.unbroadcast(at.dy(), at.dy().neg()));
    rules.put(
        "Mul",
        at ->
            at.unbroadcast(at.dy().mul(at.conjugate(at.x(1))), at.conjugate(at.x(0)).mul(at.dy())));
    for (String op : List.of("RealDiv", "Div")) {
      rules.put(op, at -> quotient(at, "RealDiv"));
    }
    rules.put("DivNoNan", at -> quotient(at, "DivNoNan"));
    rules.put(
        "MulNoNan",
        at ->
            at.unbroadcast(
                at.binary("MulNoNan", at.dy(), at.x(1)), at.binary("MulNoNan", at.x(0), at.dy())));
    rules.put(
        "Cross",
        at -> both(at.binary("Cross", at.x(1), at.dy()), at.binary("Cross", at.dy(), at.x(0))));
    rules.put(
        "FloorMod", at -> at.unbroadcast(at.dy(), at.dy().mul(at.x(0).floorDiv(at.x(1)).neg())));
    rules.put("Pow", ElementwiseGradients::power);
    rules.put("SquaredDifference", ElementwiseGradients::squaredDifference);
    rules.put("Atan2", ElementwiseGradients::arcTangent);
    rules.put(
        "Xlogy",
        at -> {
          Output isNotZero = at.x(0).notEqualTo(at.zerosLike(at.x(0))).cast(at.x(0).dtype());
          return at.unbroadcast(
              at.dy().mul(at.binary("Xlogy", isNotZero, at.x(1))),
              at.dy().mul(at.binary("Xdivy", at.x(0), at.x(1))));
        });
    rules.put(
        "Xlog1py",
        at -> {
          Output isNotZero = at.x(0).notEqualTo(at.zerosLike(at.x(0))).cast(at.x(0).dtype());
          return at.unbroadcast(
              at.dy().mul(at.binary("Xlog1py", isNotZero, at.x(1))),
              at.dy().mul(at.binary("Xdivy", at.x(0), at.x(1).add(1))));
        });
    rules.put(
        "Xdivy",
        at -> {
          Output isNotZero = at.x(0).notEqualTo(at.zerosLike(at.x(0))).cast(at.x(0).dtype());
          return at.unbroadcast(
              at.dy().mul(at.binary("Xdivy", isNotZero, at.x(1))),
              at.dy().mul(at.binary("Xdivy", at.x(0).neg(), at.x(1).square())));
        });
  }

  private static void addChoices(Map<String, GradientRule> rules) {
    rules.put("Maximum", at -> chosen(at, at.x(0).greaterEqual(at.x(1))));
    rules.put("Minimum", at -> chosen(at, at.x(0).lessEqual(at.x(1))));
    rules.put(
        "Select",
        at -> {
          Output zeros = at.zerosLike(at.dy());
          return Arrays.asList(
              null,
              at.op("Select").input(at.x(0)).input(at.dy()).input(zeros).build(),
              at.op("Select").input(at.x(0)).input(zeros).input(at.dy()).build());
        });
    rules.put(
        "SelectV2",
        at -> {
          Output zeros = at.zerosLike(at.dy());
          return Arrays.asList(
              null,
              sumToInput(at, at.x(0).select(at.dy(), zeros), at.x(1)),
              sumToInput(at, at.x(0).select(zeros, at.dy()), at.x(2)));
        });
    rules.put("ClipByValue", ElementwiseGradients::clip);
  }

  // Common forms of rules.

  static List<@Nullable Output> none(BackpropContext at) {
    return Collections.nCopies(at.inputs(), null);
  }

  /** The gradients of an op with two inputs. */
  static List<@Nullable Output> both(Output first, Output second) {
    return List.of(first, second);
  }

  /** {@code gradient} for the first input, none for the others. */
  static List<@Nullable Output> first(BackpropContext at, Output gradient) {
    @Nullable Output[] gradients = new @Nullable Output[at.inputs()];
    gradients[0] = gradient;
    return Arrays.asList(gradients);
  }

  /** Computes the gradient of an input by its index. */
  @FunctionalInterface
  interface ByInput {
    @Nullable Output gradient(int input);
  }

  static List<@Nullable Output> all(BackpropContext at, ByInput rule) {
    @Nullable Output[] gradients = new @Nullable Output[at.inputs()];
    Arrays.setAll(gradients, rule::gradient);
    return Arrays.asList(gradients);
  }

  private static void chain(Map<String, GradientRule> rules, String op, Derivative derivative) {
    rules.put(op, at -> first(at, at.dy().mul(at.conjugate(derivative.at(at, at.x(0))))));
  }

  /** {@code gradient} summed over the dimensions along which {@code input} was broadcast. */
  static Output sumToInput(BackpropContext at, Output gradient, Output input) {
    if (input.shape().isKnown() && input.shape().equals(gradient.shape())) {
      return gradient;
    }
    List<Output> axes =
        at.op("BroadcastGradientArgs").input(at.shape(input)).input(at.shape(gradient)).buildAll();
    return at.sumTo(gradient, axes.getFirst(), input);
  }

  // Rules.

  private static List<@Nullable Output> prevented(BackpropContext at) {
    throw StatusException.of(
        StatusCode.INVALID_ARGUMENT,
        "Gradient explicitly disabled. Reason: %s",
        at.attrs().string("message"));
  }

  private static List<@Nullable Output> checkNumerics(BackpropContext at) {
    return first(
        at,
        at.op("CheckNumerics")
            .input(at.dy())
            .attr("message", "Not a number (NaN) or infinity (Inf) values detected in gradient.")
            .build());
  }

  private static List<@Nullable Output> cast(BackpropContext at) {
    DataType from = at.x(0).dtype();
    return from.isDifferentiable() && at.y().dtype().isDifferentiable()
        ? first(at, at.dy().cast(from))
        : none(at);
  }

  private static List<@Nullable Output> quotient(BackpropContext at, String division) {
    Output x = at.conjugate(at.x(0));
    Output y = at.conjugate(at.x(1));
    UnaryOperator<Output> byY = value -> at.binary(division, value, y);
    return at.unbroadcast(byY.apply(at.dy()), at.dy().mul(byY.apply(byY.apply(x.neg()))));
  }

  private static List<@Nullable Output> power(BackpropContext at) {
    Output x = at.conjugate(at.x(0));
    Output y = at.conjugate(at.x(1));
    boolean isComplex = x.dtype().isComplex();
    Output zeros = at.zerosLike(x);
    Output positive = isComplex ? x.notEqualTo(zeros) : x.greater(zeros);
    Output log = positive.select(x, at.unary("OnesLike", x)).log();
    Output logOrZero = positive.select(log, at.zerosLike(x));
    return at.unbroadcast(
        at.dy().mul(y).mul(x.pow(y.sub(at.number(1, y.dtype())))),
        at.dy().mul(at.conjugate(at.y())).mul(logOrZero));
  }

  private static List<@Nullable Output> squaredDifference(BackpropContext at) {
    Output twice = at.dy().mul(at.number(2, at.dy().dtype()));
    Output gradient = twice.mul(at.x(0).sub(at.x(1)));
    return at.unbroadcast(gradient, gradient.neg());
  }

  private static List<@Nullable Output> arcTangent(BackpropContext at) {
    Output y = at.x(0);
    Output x = at.x(1);
    Output scaled = at.dy().div(x.square().add(y.square()));
    return at.unbroadcast(x.mul(scaled), y.neg().mul(scaled));
  }

  private static List<@Nullable Output> chosen(BackpropContext at, Output isFirst) {
    Output zeros = at.zerosLike(at.dy());
    return at.unbroadcast(isFirst.select(at.dy(), zeros), isFirst.select(zeros, at.dy()));
  }

  private static List<@Nullable Output> clip(BackpropContext at) {
    Output below = at.x(0).less(at.x(1));
    Output above = at.x(0).greater(at.x(2));
    Output zeros = at.zerosLike(at.dy());
    return List.of(
        sumToInput(at, below.or(above).select(zeros, at.dy()), at.x(0)),
        sumToInput(at, below.select(at.dy(), zeros), at.x(1)),
        sumToInput(at, above.select(at.dy(), zeros), at.x(2)));
  }
}

package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.both;
import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gradients of gradient ops, for second derivatives. */
final class SecondOrderGradients {
  private SecondOrderGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    for (String op : List.of("ReluGrad", "Relu6Grad")) {
      rules.put(op, at -> steps(at, at.binary(op, at.dy(), at.x(1))));
    }
    rules.put("LeakyReluGrad", SecondOrderGradients::ofLeaky);
    for (String op : List.of("EluGrad", "SeluGrad")) {
      rules.put(op, at -> ofExponential(at, op));
    }
    rules.put("SoftplusGrad", SecondOrderGradients::ofSoftplus);
    rules.put(
        "SqrtGrad",
        at -> {
          Output share = at.dy().div(at.x(0));
          return both(share.mul(at.y()).neg(), share.mul(0.5));
        });
    byOutput(rules, "RsqrtGrad", y -> y.square().mul(-1.5));
    for (String op : List.of("ReciprocalGrad", "InvGrad")) {
      byOutput(rules, op, y -> y.mul(-2));
    }
    byOutput(rules, "TanhGrad", y -> y.mul(-2));
    byOutput(rules, "SigmoidGrad", y -> y.mul(-2).add(1));
    rules.put("BiasAddGrad", SecondOrderGradients::ofBias);
    rules.put("StridedSliceGrad", SecondOrderGradients::ofSlice);
    rules.put("MirrorPadGrad", SecondOrderGradients::ofMirrorPad);
    pool(rules, "AvgPoolGrad", "AvgPool");
    pool(rules, "AvgPool3DGrad", "AvgPool3D");
    maxPool(rules, "MaxPoolGrad", "MaxPoolGradGrad");
    maxPool(rules, "MaxPoolGradGrad", "MaxPoolGrad");
    maxPool(rules, "MaxPool3DGrad", "MaxPool3DGradGrad");
    maxPool(rules, "MaxPool3DGradGrad", "MaxPool3DGrad");
    rules.put("MaxPoolGradV2", SecondOrderGradients::ofMaxPoolV2);
  }

  /**
   * The gradient of a gradient op that is {@code linear} in its first input and piecewise constant
   * in the other.
   */
  private static List<@Nullable Output> steps(BackpropContext at, Output linear) {
    return List.of(linear, at.zerosLike(at.x(1)));
  }

  private static List<@Nullable Output> ofLeaky(BackpropContext at) {
    NodeBuilder node = at.op("LeakyReluGrad").input(at.dy()).input(at.x(1));
    return steps(at, node.attr("alpha", at.attrs().floating("alpha")).build());
  }

  private static List<@Nullable Output> ofExponential(BackpropContext at, String op) {
    Output y = at.x(1);
    Output zeros = at.zerosLike(y);
    return List.of(at.binary(op, at.dy(), y), y.less(zeros).select(at.dy().mul(at.x(0)), zeros));
  }

  private static List<@Nullable Output> ofSoftplus(BackpropContext at) {
    Output x = at.x(1);
    Output slope = at.unary("Sigmoid", x);
    Output bend = at.binary("SigmoidGrad", slope, at.dy().mul(at.x(0)));
    return List.of(at.binary("SoftplusGrad", at.dy(), x), bend);
  }

  /** The derivative of a gradient op for dy = 1 by the function's value y. */
  @FunctionalInterface
  private interface ByValue {
    Output of(Output y);
  }

  /** Rules for gradient ops of the form (y, dy), which are linear in dy. */
  private static void byOutput(Map<String, GradientRule> rules, String op, ByValue slope) {
    rules.put(
        op,
        at -> {
          Output y = at.x(0);
          Output change = at.dy().mul(at.x(1)).mul(slope.of(y));
          return both(change, at.binary(op, y, at.dy()));
        });
  }

  /** The gradient of a sum over a channel is broadcast to the channel's elements. */
  private static List<@Nullable Output> ofBias(BackpropContext at) {
    Output shape = at.shape(at.x(0));
    Output gradient = at.dy();
    if (at.attrs().string("data_format").equals("NCHW")) {
      Output space = at.op("Slice").input(shape).input(at.ints(2)).input(at.ints(-1)).build();
      Output channels =
          at.op("ConcatV2")
              .inputs(List.of(at.ints(1, -1), at.unary("OnesLike", space)))
              .input(Tensor.scalar(0))
              .build();
      gradient = at.binary("Reshape", gradient, channels);
    }
    return first(at, at.binary("BroadcastTo", gradient, shape));
  }

  private static List<@Nullable Output> ofSlice(BackpropContext at) {
    NodeBuilder slice =
        at.op("StridedSlice").input(at.dy()).input(at.x(1)).input(at.x(2)).input(at.x(3));
    ArrayGradients.MASKS.forEach(mask -> slice.attr(mask, at.attrs().integer(mask)));
    return Arrays.asList(null, null, null, null, slice.build());
  }

  private static List<@Nullable Output> ofMirrorPad(BackpropContext at) {
    NodeBuilder node = at.op("MirrorPad").input(at.dy()).input(at.x(1));
    return first(at, node.attr("mode", at.attrs().raw("mode")).build());
  }

  private static void pool(Map<String, GradientRule> rules, String op, String forward) {
    rules.put(
        op,
        at ->
            Arrays.asList(
                null,
                ImageGradients.with(at, at.op(forward).input(at.dy()), ImageGradients.POOL)
                    .build()));
  }

  /** Max pooling's gradient is linear in the last gradient, for which {@code gradient} is an op. */
  private static void maxPool(Map<String, GradientRule> rules, String op, String gradient) {
    rules.put(
        op,
        at -> {
          NodeBuilder node = at.op(gradient).input(at.x(0)).input(at.x(1)).input(at.dy());
          return Arrays.<@Nullable Output>asList(
              at.zerosLike(at.x(0)),
              at.zerosLike(at.x(1)),
              ImageGradients.with(at, node, ImageGradients.POOL).build());
        });
  }

  private static List<@Nullable Output> ofMaxPoolV2(BackpropContext at) {
    NodeBuilder node =
        at.op("MaxPoolGradGradV2")
            .input(at.x(0))
            .input(at.x(1))
            .input(at.dy())
            .input(at.x(3))
            .input(at.x(4));
    return Arrays.asList(
        at.zerosLike(at.x(0)),
        at.zerosLike(at.x(1)),
        ImageGradients.with(at, node, "padding", "data_format").build(),
        null,
        null);
  }
}

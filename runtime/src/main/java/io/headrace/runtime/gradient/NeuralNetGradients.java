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

/** Gradients of neural network ops: matrix products, activations, losses, TopK. */
final class NeuralNetGradients {
  private NeuralNetGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("MatMul", NeuralNetGradients::matMul);
    for (String op : List.of("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")) {
      rules.put(op, at -> batchMatMul(at, op));
    }
    rules.put("Einsum", EinsumGradient::of);
    rules.put("BiasAdd", NeuralNetGradients::biasAdd);
    rules.put("BiasAddV1", at -> both(at.dy(), at.unary("BiasAddGrad", at.dy())));
    rules.put("Softmax", at -> first(at, softmax(at, at.dy(), at.y())));
    rules.put("LogSoftmax", at -> first(at, at.dy().sub(sumOfLast(at, at.dy()).mul(at.y().exp()))));
    rules.put("SoftmaxCrossEntropyWithLogits", NeuralNetGradients::crossEntropy);
    rules.put(
        "SparseSoftmaxCrossEntropyWithLogits",
        at -> first(at, at.dy().expandDims(-1).mul(at.y(1))));
    rules.put("CTCLoss", NeuralNetGradients::ctcLoss);
    rules.put("TopKV2", NeuralNetGradients::topK);
  }

  private static Output product(
      BackpropContext at, Output a, boolean transA, Output b, boolean transB) {
    return at.op("MatMul")
        .input(a)
        .input(b)
        .attr("transpose_a", transA)
        .attr("transpose_b", transB)
        .build();
  }

  private static List<@Nullable Output> matMul(BackpropContext at) {
    return products(
        at,
        at.attrs().bool("transpose_a"),
        at.attrs().bool("transpose_b"),
        at.conjugate(at.x(0)),
        at.conjugate(at.x(1)),
        (a, transA, b, transB) -> product(at, a, transA, b, transB));
  }

  /** A matrix product with optional transposition of either operand. */
  @FunctionalInterface
  private interface Product {
    Output of(Output a, boolean transA, Output b, boolean transB);
  }

  private static List<@Nullable Output> products(
      BackpropContext at, boolean transA, boolean transB, Output a, Output b, Product product) {
    Output dy = at.dy();
    Output da = transA ? product.of(b, transB, dy, true) : product.of(dy, false, b, !transB);
    Output db = transB ? product.of(dy, true, a, transA) : product.of(a, !transA, dy, false);
    return List.of(da, db);
  }

  private static List<@Nullable Output> batchMatMul(BackpropContext at, String op) {
    List<@Nullable Output> gradients =
        products(
            at,
            at.attrs().bool("adj_x"),
            at.attrs().bool("adj_y"),
            at.x(0),
            at.x(1),
            (a, adjX, b, adjY) -> {
              NodeBuilder node = at.op(op).input(a).input(b);
              if (op.equals("BatchMatMulV3")) {
                node.attr("Tout", at.attrs().raw("Tout"));
              }
              return node.attr("adj_x", adjX).attr("adj_y", adjY).build();
            });
    List<Output> axes =
        at.op("BroadcastGradientArgs")
            .input(batchShape(at, at.x(0)))
            .input(batchShape(at, at.x(1)))
            .buildAll();
    return Arrays.asList(
        at.sumTo(required(gradients.get(0)), axes.get(0), at.x(0)),
        at.sumTo(required(gradients.get(1)), axes.get(1), at.x(1)));
  }

  private static Output required(@Nullable Output output) {
    if (output == null) {
      throw new IllegalStateException("a product has a gradient");
    }
    return output;
  }

  /** The shape of {@code x} without its last two dimensions. */
  private static Output batchShape(BackpropContext at, Output x) {
    return at.op("StridedSlice")
        .input(at.unary("Shape", x))
        .input(at.ints(0))
        .input(at.ints(-2))
        .input(at.ints(1))
        .attr("begin_mask", 1)
        .build();
  }

  private static List<@Nullable Output> biasAdd(BackpropContext at) {
    return List.of(
        at.dy(),
        at.op("BiasAddGrad")
            .input(at.dy())
            .attr("data_format", at.attrs().string("data_format"))
            .build());
  }

  private static Output sumOfLast(BackpropContext at, Output x) {
    return at.op("Sum").input(x).input(at.ints(-1)).attr("keep_dims", true).build();
  }

  private static Output softmax(BackpropContext at, Output dy, Output softmax) {
    return dy.sub(sumOfLast(at, dy.mul(softmax))).mul(softmax);
  }

  private static List<@Nullable Output> crossEntropy(BackpropContext at) {
    Output dLoss = at.dy().expandDims(-1);
    Output logits = at.x(0);
    Output dLogits = dLoss.mul(at.y(1));
    Output dBackprop = at.dyOrNull(1);
    if (dBackprop != null) {
      dLogits = dLogits.add(softmax(at, dBackprop, at.unary("Softmax", logits)));
    }
    Output dLabels = dLoss.mul(at.unary("LogSoftmax", logits).neg());
    return List.of(dLogits, dLabels);
  }

  /** Scatters the gradients of the selected elements into zeros. */
  private static List<@Nullable Output> ctcLoss(BackpropContext at) {
    Output gradient =
        at.op("PreventGradient")
            .input(at.y(1))
            .attr("message", "the gradient of CTCLoss has no gradient")
            .build();
    return first(at, at.dy().expandDims(-1).mul(gradient));
  }

  private static List<@Nullable Output> topK(BackpropContext at) {
    Output shape = at.unary("Shape", at.x(0));
    Output last = shape.at(-1);
    Output k = at.unary("Shape", at.y(1)).at(-1);
    Output table =
        at.binary(
            "Reshape",
            at.y(1),
            at.op("Pack").inputs(List.of(at.constant(Tensor.scalar(-1)), k)).build());
    Output starts =
        at.op("Range")
            .input(Tensor.scalar(0))
            .input(at.unary("Size", at.x(0)))
            .input(last)
            .build()
            .expandDims(-1);
    Output places = at.binary("Reshape", table.add(starts), at.ints(-1)).expandDims(-1);
    Output flat =
        at.op("ScatterNd")
            .input(places)
            .input(at.binary("Reshape", at.dy(), at.ints(-1)))
            .input(at.binary("Reshape", at.unary("Size", at.x(0)), at.ints(1)))
            .build();
    return first(at, at.binary("Reshape", flat, shape));
  }
}

package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gradients of image ops: convolutions, pooling, normalizations, rearrangements. */
final class ImageGradients {
  private static final String[] FLAT = {
    "strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format", "dilations"
  };
  private static final String[] DEPTHWISE = {
    "strides", "padding", "explicit_paddings", "data_format", "dilations"
  };
  private static final String[] VOLUMES = {"strides", "padding", "data_format", "dilations"};
  static final String[] POOL = {"ksize", "strides", "padding", "data_format"};
  private static final String[] FLAT_MAX_POOL = {
    "ksize", "strides", "padding", "explicit_paddings", "data_format"
  };

  private ImageGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    convolution(rules, "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", FLAT);
    convolution(
        rules,
        "DepthwiseConv2dNative",
        "DepthwiseConv2dNativeBackpropInput",
        "DepthwiseConv2dNativeBackpropFilter",
        DEPTHWISE);
    convolution(rules, "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", VOLUMES);
    rules.put("Conv2DBackpropInput", ImageGradients::ofImageGradient);
    rules.put("Conv2DBackpropFilter", ImageGradients::ofFilterGradient);
    maxPool(rules, "MaxPool", "MaxPoolGrad", FLAT_MAX_POOL);
    maxPool(rules, "MaxPool3D", "MaxPool3DGrad", POOL);
    rules.put("MaxPoolV2", ImageGradients::maxPoolV2);
    rules.put("MaxPoolWithArgmax", ImageGradients::maxPoolWithArgmax);
    rules.put(
        "FractionalMaxPool",
        at ->
            fractionalPool(
                at, at.op("FractionalMaxPoolGrad").input(at.x(0)).input(at.y(0)).input(at.dy())));
    rules.put(
        "FractionalAvgPool",
        at ->
            fractionalPool(
                at,
                at.op("FractionalAvgPoolGrad")
                    .input(at.shape(at.x(0)).cast(DataType.INT64))
                    .input(at.dy())));
    meanPool(rules, "AvgPool", "AvgPoolGrad");
    meanPool(rules, "AvgPool3D", "AvgPool3DGrad");
    rules.put("FusedBatchNorm", at -> batchNorm(at, "FusedBatchNormGrad", 2));
    rules.put("FusedBatchNormV2", at -> batchNorm(at, "FusedBatchNormGradV2", 2));
    rules.put("FusedBatchNormV3", at -> batchNorm(at, "FusedBatchNormGradV3", 3));
    ResizeGradients.addTo(rules);
    rules.put("LRN", ImageGradients::localResponse);
    rules.put("MirrorPad", ImageGradients::mirrorPad);
    inverse(rules, "SpaceToDepth", "DepthToSpace");
    inverse(rules, "DepthToSpace", "SpaceToDepth");
    squares(rules, "SpaceToBatch", "BatchToSpace");
    squares(rules, "BatchToSpace", "SpaceToBatch");
    blocks(rules, "SpaceToBatchND", "BatchToSpaceND");
    blocks(rules, "BatchToSpaceND", "SpaceToBatchND");
  }

  /** {@code node} with the attrs {@code names} copied from the operation. */
  static NodeBuilder with(BackpropContext at, NodeBuilder node, String... names) {
    for (String name : names) {
      node.attr(name, at.attrs().raw(name));
    }
    return node;
  }

  private static void convolution(
      Map<String, GradientRule> rules,
      String op,
      String ofImages,
      String ofFilter,
      String[] attrs) {
    rules.put(
        op,
        at -> {
          Output x = at.x(0);
          Output filter = at.x(1);
          NodeBuilder images = at.op(ofImages).input(at.shape(x)).input(filter).input(at.dy());
          NodeBuilder weights = at.op(ofFilter).input(x).input(at.shape(filter)).input(at.dy());
          return Arrays.<@Nullable Output>asList(
              with(at, images, attrs).build(), with(at, weights, attrs).build());
        });
  }

  /**
   * The gradient of a convolution's input gradient, which is linear in the filter and in the output
   * gradient.
   */
  private static List<@Nullable Output> ofImageGradient(BackpropContext at) {
    Output filter = at.x(1);
    NodeBuilder weights =
        at.op("Conv2DBackpropFilter").input(at.dy()).input(at.shape(filter)).input(at.x(2));
    NodeBuilder gradient = at.op("Conv2D").input(at.dy()).input(filter);
    return Arrays.asList(null, with(at, weights, FLAT).build(), with(at, gradient, FLAT).build());
  }

  private static List<@Nullable Output> ofFilterGradient(BackpropContext at) {
    Output x = at.x(0);
    NodeBuilder images =
        at.op("Conv2DBackpropInput").input(at.shape(x)).input(at.dy()).input(at.x(2));
    NodeBuilder gradient = at.op("Conv2D").input(x).input(at.dy());
    return Arrays.asList(with(at, images, FLAT).build(), null, with(at, gradient, FLAT).build());
  }

  private static void maxPool(
      Map<String, GradientRule> rules, String op, String grad, String[] attrs) {
    rules.put(
        op,
        at -> {
          NodeBuilder node = at.op(grad).input(at.x(0)).input(at.y()).input(at.dy());
          return first(at, with(at, node, attrs).build());
        });
  }

  private static List<@Nullable Output> maxPoolV2(BackpropContext at) {
    NodeBuilder node =
        at.op("MaxPoolGradV2")
            .input(at.x(0))
            .input(at.y())
            .input(at.dy())
            .input(at.x(1))
            .input(at.x(2));
    return first(at, with(at, node, "padding", "data_format").build());
  }

  private static List<@Nullable Output> maxPoolWithArgmax(BackpropContext at) {
    NodeBuilder node = at.op("MaxPoolGradWithArgmax").input(at.x(0)).input(at.dy()).input(at.y(1));
    return first(
        at, with(at, node, "ksize", "strides", "padding", "include_batch_in_index").build());
  }

  /** {@code gradient} with the regions that were pooled, which are outputs of the op. */
  private static List<@Nullable Output> fractionalPool(BackpropContext at, NodeBuilder gradient) {
    return first(at, with(at, gradient.input(at.y(1)).input(at.y(2)), "overlapping").build());
  }

  private static void meanPool(Map<String, GradientRule> rules, String op, String grad) {
    rules.put(
        op,
        at -> {
          NodeBuilder node = at.op(grad).input(at.shape(at.x(0))).input(at.dy());
          return first(at, with(at, node, POOL).build());
        });
  }

  /**
   * The gradient of batch normalization, with the batch's moments from the op's outputs, or the
   * given moments.
   */
  private static List<@Nullable Output> batchNorm(BackpropContext at, String grad, int reserves) {
    boolean training = at.attrs().bool("is_training");
    NodeBuilder node =
        at.op(grad)
            .input(at.dy())
            .input(at.x(0))
            .input(at.x(1))
            .input(training ? at.y(3) : at.x(3))
            .input(training ? at.y(4) : at.x(4));
    if (reserves > 2) {
      node.input(at.y(5));
    }
    List<Output> gradients = with(at, node, "epsilon", "data_format", "is_training").buildAll();
    return Arrays.asList(gradients.get(0), gradients.get(1), gradients.get(2), null, null);
  }

  private static List<@Nullable Output> localResponse(BackpropContext at) {
    NodeBuilder node = at.op("LRNGrad").input(at.dy()).input(at.x(0)).input(at.y());
    return first(at, with(at, node, "depth_radius", "bias", "alpha", "beta").build());
  }

  private static List<@Nullable Output> mirrorPad(BackpropContext at) {
    return first(
        at, with(at, at.op("MirrorPadGrad").input(at.dy()).input(at.x(1)), "mode").build());
  }

  private static void inverse(Map<String, GradientRule> rules, String op, String inverse) {
    rules.put(
        op,
        at ->
            first(
                at, with(at, at.op(inverse).input(at.dy()), "block_size", "data_format").build()));
  }

  private static void squares(Map<String, GradientRule> rules, String op, String inverse) {
    rules.put(
        op,
        at ->
            first(
                at, with(at, at.op(inverse).input(at.dy()).input(at.x(1)), "block_size").build()));
  }

  private static void blocks(Map<String, GradientRule> rules, String op, String inverse) {
    rules.put(
        op, at -> first(at, at.op(inverse).input(at.dy()).input(at.x(1)).input(at.x(2)).build()));
  }
}

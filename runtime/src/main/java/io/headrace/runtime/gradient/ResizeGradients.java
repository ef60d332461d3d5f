package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gradients of resized images, by the images; sizes and scales have none. */
final class ResizeGradients {
  private ResizeGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("ResizeBicubic", ResizeGradients::bicubic);
    rules.put("ScaleAndTranslate", ResizeGradients::scaleAndTranslate);
  }

  private static List<@Nullable Output> bicubic(BackpropContext at) {
    DataType dtype = at.x(0).dtype();
    if (dtype != DataType.FLOAT32 && dtype != DataType.FLOAT64) {
      return Arrays.asList(null, null);
    }
    NodeBuilder node = at.op("ResizeBicubicGrad").input(at.dy()).input(at.x(0));
    return first(at, ImageGradients.with(at, node, "align_corners", "half_pixel_centers").build());
  }

  private static List<@Nullable Output> scaleAndTranslate(BackpropContext at) {
    if (at.x(0).dtype() != DataType.FLOAT32) {
      throw at.missing("images of " + at.x(0).dtype().tfName());
    }
    NodeBuilder node =
        at.op("ScaleAndTranslateGrad").input(at.dy()).input(at.x(0)).input(at.x(2)).input(at.x(3));
    return first(at, ImageGradients.with(at, node, "kernel_type", "antialias").build());
  }
}

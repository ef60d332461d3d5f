package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gradients of simulated quantization, for quantization-aware training. */
final class FakeQuantGradients {
  private FakeQuantGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("FakeQuantWithMinMaxArgs", FakeQuantGradients::withArgs);
    for (String op : List.of("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")) {
      rules.put(op, at -> withVars(at, op + "Gradient"));
    }
  }

  private static List<@Nullable Output> withArgs(BackpropContext at) {
    NodeBuilder node = at.op("FakeQuantWithMinMaxArgsGradient").input(at.dy()).input(at.x(0));
    return first(
        at, ImageGradients.with(at, node, "min", "max", "num_bits", "narrow_range").build());
  }

  private static List<@Nullable Output> withVars(BackpropContext at, String gradient) {
    NodeBuilder node = at.op(gradient).input(at.dy()).input(at.x(0)).input(at.x(1)).input(at.x(2));
    return new ArrayList<>(ImageGradients.with(at, node, "num_bits", "narrow_range").buildAll());
  }
}

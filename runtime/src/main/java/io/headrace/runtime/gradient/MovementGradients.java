package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gradients of ops that move elements: scatter, reverse, roll, diagonals. */
final class MovementGradients {
  private MovementGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("Diag", at -> first(at, at.unary("DiagPart", at.dy())));
    rules.put("DiagPart", at -> first(at, at.unary("Diag", at.dy())));
    rules.put(
        "Roll",
        at -> first(at, at.op("Roll").input(at.dy()).input(at.x(1).neg()).input(at.x(2)).build()));
    rules.put("ReverseSequence", MovementGradients::reverse);
    rules.put("TensorScatterAdd", at -> scattered(at.dy(), picked(at)));
    rules.put("TensorScatterSub", at -> scattered(at.dy(), picked(at).neg()));
    rules.put("ScatterNdNonAliasingAdd", at -> scattered(at.dy(), picked(at)));
    rules.put("TensorScatterUpdate", MovementGradients::replaced);
    rules.put("ResourceGatherNd", MovementGradients::gatherOfVariable);
  }

  private static List<@Nullable Output> reverse(BackpropContext at) {
    NodeBuilder node = at.op("ReverseSequence").input(at.dy()).input(at.x(1));
    return first(
        at,
        node.attr("seq_dim", at.attrs().integer("seq_dim"))
            .attr("batch_dim", at.attrs().integer("batch_dim"))
            .build());
  }

  /** The gradients of a scatter's tensor, indices and updates. */
  private static List<@Nullable Output> scattered(Output tensor, Output updates) {
    return Arrays.asList(tensor, null, updates);
  }

  /** The gradient at the positions of the updates. */
  private static Output picked(BackpropContext at) {
    return at.binary("GatherNd", at.dy(), at.x(1));
  }

  private static List<@Nullable Output> replaced(BackpropContext at) {
    Output kept =
        at.op("TensorScatterUpdate")
            .input(at.dy())
            .input(at.x(1))
            .input(at.zerosLike(at.x(2)))
            .build();
    return scattered(kept, picked(at));
  }

  private static List<@Nullable Output> gatherOfVariable(BackpropContext at) {
    Output indices = at.x(1);
    Output shape = at.op("VariableShape").input(at.x(0)).attr("out_type", indices.dtype()).build();
    return first(at, at.op("ScatterNd").input(indices).input(at.dy()).input(shape).build());
  }
}

package io.headrace.cluster.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves control-flow nodes that only forward a tensor to the device of its producer or consumer,
 * whatever device they request, as TensorFlow does. A loop variable then stays on one device, a
 * loop invariant crosses to another device once instead of in each iteration, and the inputs of an
 * untaken branch are not sent.
 */
final class ControlFlowPlacement {
  private final Map<StepNode, StepNode> firstConsumers = new HashMap<>();

  private ControlFlowPlacement(List<StepNode> nodes) {
    for (StepNode node : nodes) {
      node.inputs.forEach(input -> firstConsumers.putIfAbsent(input.node(), node));
    }
  }

  /** Sets the devices of the control-flow nodes among {@code nodes}. */
  static void apply(List<StepNode> nodes) {
    ControlFlowPlacement placement = new ControlFlowPlacement(nodes);
    move(nodes, ControlFlowPlacement::entersIteration, placement.firstConsumers::get);
    move(nodes, ControlFlowPlacement::leavesLoopOrEntersBranch, ControlFlowPlacement::producer);
  }

  /** Ops that bring a value into an iteration; they move to its first consumer. */
  private static boolean entersIteration(StepNode node) {
    return switch (node.definition.getOp()) {
      case "Enter", "NextIteration", "RefNextIteration" -> true;
      default -> false;
    };
  }

  /** Ops that take a value out of a loop or into a branch; they move to its producer. */
  private static boolean leavesLoopOrEntersBranch(StepNode node) {
    return switch (node.definition.getOp()) {
      case "Switch", "RefSwitch", "_SwitchN", "Exit", "RefExit" -> true;
      default -> false;
    };
  }

  private static @Nullable StepNode producer(StepNode node) {
    return node.inputs.isEmpty() ? null : node.inputs.getFirst().node();
  }

  private static void move(
      List<StepNode> nodes,
      Predicate<StepNode> moves,
      Function<StepNode, @Nullable StepNode> next) {
    for (StepNode node : nodes) {
      @Nullable StepNode at = node;
      for (int i = 0; at != null && moves.test(at) && i < nodes.size(); i++) {
        at = next.apply(at);
      }
      if (at != null) {
        node.device = at.device;
      }
    }
  }
}

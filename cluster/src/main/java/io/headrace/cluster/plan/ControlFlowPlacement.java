package io.headrace.cluster.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves the nodes that only pass a tensor on to where it is or goes to, whatever they ask for, as
 * TensorFlow does: a variable of a loop is then at one device, what is the same in each iteration
 * goes to the other device once and not in each, and a branch that is not taken is not sent.
 */
final class ControlFlowPlacement {
  private final Map<StepNode, StepNode> firstConsumers = new HashMap<>();

  private ControlFlowPlacement(List<StepNode> nodes) {
    for (StepNode node : nodes) {
      node.inputs.forEach(input -> firstConsumers.putIfAbsent(input.node(), node));
    }
  }

  /** Sets the devices of such of {@code nodes}. */
  static void improve(List<StepNode> nodes) {
    ControlFlowPlacement placement = new ControlFlowPlacement(nodes);
    move(nodes, ControlFlowPlacement::leadsIn, placement.firstConsumers::get);
    move(nodes, ControlFlowPlacement::leadsOut, ControlFlowPlacement::data);
  }

  /** Where a value comes into an iteration: with what takes it there. */
  private static boolean leadsIn(StepNode node) {
    return switch (node.definition.getOp()) {
      case "Enter", "NextIteration", "RefNextIteration" -> true;
      default -> false;
    };
  }

  /** Where a value leaves a loop, or goes into a branch: with what gives it. */
  private static boolean leadsOut(StepNode node) {
    return switch (node.definition.getOp()) {
      case "Switch", "RefSwitch", "_SwitchN", "Exit", "RefExit" -> true;
      default -> false;
    };
  }

  private static @Nullable StepNode data(StepNode node) {
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

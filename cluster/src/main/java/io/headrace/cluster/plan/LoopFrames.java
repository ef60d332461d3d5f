package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.AttrValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which loop of TensorFlow 1, a frame, each node of a step runs in. */
final class LoopFrames {
  /** A loop: all between its Enter nodes and its Exit nodes. */
  static final class Loop {
    final String name;

    /** The loop that it is within, if it is. */
    final @Nullable Loop outer;

    /** How many iterations may run at a time, as its Enter nodes say; unset where they do not. */
    @Nullable AttrValue parallelIterations;

    /** Its LoopCond, whose task says whether there is another iteration. */
    @Nullable StepNode condition;

    private Loop(String name, @Nullable Loop outer) {
      this.name = name;
      this.outer = outer;
    }
  }

  private record Key(@Nullable Loop outer, String name) {}

  private final Map<Key, Loop> loops = new HashMap<>();
  private final Map<StepNode, Loop> outputs = new HashMap<>();

  /** Finds the loops of {@code nodes}, among which are the inputs of each. */
  LoopFrames(List<StepNode> nodes) {
    Map<StepNode, List<StepNode>> consumers = new HashMap<>();
    Deque<StepNode> work = new ArrayDeque<>();
    for (StepNode node : nodes) {
      List<StepNode> sources = node.sources();
      sources.forEach(
          source -> consumers.computeIfAbsent(source, _ -> new ArrayList<>()).add(node));
      if (sources.isEmpty()) {
        work.add(node);
      }
    }
    Set<StepNode> seen = new HashSet<>(work);
    while (!work.isEmpty()) {
      StepNode node = work.remove();
      Loop loop = ofOutputs(node);
      for (StepNode consumer : consumers.getOrDefault(node, List.of())) {
        if (seen.add(consumer)) {
          enter(consumer, loop);
          work.add(consumer);
        }
      }
    }
  }

  private void enter(StepNode node, @Nullable Loop ofInputs) {
    Loop loop =
        switch (node.definition.getOp()) {
          case "Enter", "RefEnter" -> entered(node, ofInputs);
          case "Exit", "RefExit" -> ofInputs == null ? null : ofInputs.outer;
          default -> ofInputs;
        };
    if (loop == null) {
      return;
    }
    outputs.put(node, loop);
    if (node.definition.getOp().equals("LoopCond")) {
      loop.condition = node;
    }
  }

  private Loop entered(StepNode enter, @Nullable Loop outer) {
    Map<String, AttrValue> attrs = enter.definition.getAttrMap();
    String name = enter.definition.getAttrOrThrow("frame_name").getS().toStringUtf8();
    Loop loop = loops.computeIfAbsent(new Key(outer, name), _ -> new Loop(name, outer));
    loop.parallelIterations = attrs.get("parallel_iterations");
    return loop;
  }

  /** The loop that what {@code node} gives is in; null for one in none. */
  @Nullable Loop ofOutputs(StepNode node) {
    return outputs.get(node);
  }
}

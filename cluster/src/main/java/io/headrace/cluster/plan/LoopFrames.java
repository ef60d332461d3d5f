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

/** Assigns the nodes of a step to the TensorFlow 1 while loops (frames) in which they run. */
final class LoopFrames {
  /** A while loop: the nodes between its Enter nodes and its Exit nodes. */
  static final class Loop {
    final String name;

    /** The enclosing loop, if any. */
    final @Nullable Loop outer;

    /** The limit of concurrent iterations, an attr of the Enter nodes; null if they lack it. */
    @Nullable AttrValue parallelIterations;

    /** The LoopCond, which decides whether there is another iteration. */
    @Nullable StepNode condition;

    private Loop(String name, @Nullable Loop outer) {
      this.name = name;
      this.outer = outer;
    }
  }

  private record Key(@Nullable Loop outer, String name) {}

  private final Map<Key, Loop> loops = new HashMap<>();
  private final Map<StepNode, Loop> outputs = new HashMap<>();

  /** Finds the loops of {@code nodes}, a list closed under inputs. */
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

  /** The loop in which the outputs of {@code node} are; null if in none. */
  @Nullable Loop ofOutputs(StepNode node) {
    return outputs.get(node);
  }
}

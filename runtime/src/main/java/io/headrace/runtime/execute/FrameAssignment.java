package io.headrace.runtime.execute;

import io.headrace.runtime.execute.GraphNode.Edge;
import io.headrace.runtime.execute.GraphNode.Kind;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Assigns each node of a graph to its frame. */
final class FrameAssignment {
  private record Key(Frame parent, String name) {}

  private final Frame root = new Frame("", null);
  private final Map<Key, Frame> frames = new HashMap<>();
  private final Map<GraphNode, GraphNode> reachedFrom = new HashMap<>();
  private final Deque<GraphNode> work = new ArrayDeque<>();

  /** Sets the frames of {@code nodes} and returns the root frame. */
  Frame assign(List<GraphNode> nodes) {
    for (GraphNode node : nodes) {
      if (node.inputs() == 0 && node.controlInputs == 0) {
        node.frame = root;
        work.add(node);
      }
    }
    while (!work.isEmpty()) {
      GraphNode node = work.remove();
      Frame outer = frameOfOutputs(node);
      for (List<Edge> targets : node.outputs) {
        targets.forEach(edge -> reach(edge.node(), outer, node));
      }
      node.controlOutputs.forEach(target -> reach(target, outer, node));
    }
    for (GraphNode node : nodes) {
      Frame frame = node.frame == null ? root : node.frame; // a node of a cycle without an Enter is
      // in the root
      node.frame = frame;
      node.index = frame.nodes++;
      node.firstInput = frame.inputs;
      frame.inputs += node.inputs();
    }
    return root;
  }

  private Frame frameOfOutputs(GraphNode node) {
    Frame frame = node.frame == null ? root : node.frame;
    if (node.kind == Kind.ENTER) {
      String name = node.spec.attrs().string("frame_name");
      Frame inner = frames.computeIfAbsent(new Key(frame, name), _ -> new Frame(name, frame));
      inner.entrances++;
      inner.parallelIterations =
          Math.max(1, (int) node.spec.attrs().integer("parallel_iterations"));
      node.inner = inner;
      node.isConstantEnter = node.spec.attrs().bool("is_constant");
      return inner;
    }
    if (node.kind != Kind.EXIT) {
      return frame;
    }
    if (frame.parent == null) {
      throw StatusException.invalidArgument(
          "The Exit {{node %s}} is in no loop: it has no Enter before it", node);
    }
    return frame.parent;
  }

  private void reach(GraphNode node, Frame frame, GraphNode from) {
    if (node.frame == null) {
      node.frame = frame;
      reachedFrom.put(node, from);
      work.add(node);
    } else if (!node.frame.equals(frame)) {
      throw StatusException.invalidArgument(
          "{{node %s}} has inputs from different frames. The input {{node %s}} is in frame '%s'."
              + " The input {{node %s}} is in frame '%s'.",
          node, from, frame.name, reachedFrom.getOrDefault(node, from), node.frame.name);
    }
  }
}

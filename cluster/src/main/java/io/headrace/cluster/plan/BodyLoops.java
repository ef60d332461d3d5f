package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The while loops of TensorFlow 1 in the body of a function that is lowered. */
final class BodyLoops {
  private static final int UNKNOWN = -1;
  private static final String FRAME_NAME = "frame_name";
  private static final Set<String> ENTERS = Set.of("Enter", "RefEnter");
  private static final Set<String> EXITS = Set.of("Exit", "RefExit");
  private static final Set<String> BRANCHES = Set.of("Switch", "RefSwitch", "_SwitchN");

  private final List<Node> nodes;

  /** By node, the number of loops around it; the Enters of a loop are outside of it. */
  private final int[] depths;

  /** The frames of the function, each with its name in the lowered graph. */
  private final Map<String, String> frames = new HashMap<>();

  BodyLoops(PrunedGraph body) {
    this.nodes = body.nodes();
    this.depths = new int[nodes.size()];
    Arrays.fill(depths, UNKNOWN);
    findDepths();
  }

  private void findDepths() {
    List<List<Integer>> users = new ArrayList<>();
    nodes.forEach(_ -> users.add(new ArrayList<>()));
    Deque<Integer> work = new ArrayDeque<>();
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      for (Endpoint input : node.inputs()) {
        users.get(input.node()).add(i);
      }
      for (int control : node.controlInputs()) {
        users.get(control).add(i);
      }
      if (node.inputs().isEmpty() && node.controlInputs().isEmpty()) {
        depths[i] = 0;
        work.add(i);
      }
    }
    while (!work.isEmpty()) {
      int next = work.remove();
      int behind = depths[next] + change(nodes.get(next));
      for (int user : users.get(next)) {
        if (depths[user] == UNKNOWN) {
          depths[user] = Math.max(0, behind);
          work.add(user);
        }
      }
    }
  }

  private static int change(Node node) {
    if (isEnter(node)) {
      return 1;
    }
    return EXITS.contains(node.op().name()) ? -1 : 0;
  }

  static boolean isEnter(Node node) {
    return ENTERS.contains(node.op().name());
  }

  /** Whether the node {@code index} runs in each iteration of a loop. */
  boolean isInside(int index) {
    return depths[index] > 0;
  }

  /** Whether nodes of the body may be dead, or run more than once. */
  boolean hasControlFlow() {
    return nodes.stream().anyMatch(node -> isEnter(node) || BRANCHES.contains(node.op().name()));
  }

  /** The indices of the nodes by which the outermost loops end. */
  List<Integer> ends() {
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < depths.length; i++) {
      if (depths[i] == 1 && EXITS.contains(nodes.get(i).op().name())) {
        ends.add(i);
      }
    }
    return ends;
  }

  /** Sets the frame of {@code copy}, a copy of {@code node}, if it has one. */
  void rename(Node node, NodeDef.Builder copy, UnaryOperator<String> unique) {
    if (isEnter(node)) {
      String frame = frames.computeIfAbsent(node.attrs().string(FRAME_NAME), unique);
      copy.putAttr(FRAME_NAME, StepNode.text(frame));
    }
  }
}

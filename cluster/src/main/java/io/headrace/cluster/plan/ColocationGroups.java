package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes of a graph must be at one device, and what is said of it: those that say so of each
 * other, and those that take a resource or a reference, with the node that makes it.
 */
final class ColocationGroups {
  /** The attr that says with which nodes one must be. */
  static final String COLOCATION = "_class";

  /** What the name of such a node follows in it. */
  static final String PREFIX = "loc:@";

  /** Passes resources on, each by itself, and so may have some of several tasks. */
  private static final String PASSES_EACH = "IdentityN";

  private final FlowGraph graph;
  private final boolean isSoft;
  private final int[] parent;
  private final DeviceSpec[] asked;

  /** What the variables, tables and queues of a group say of its device. */
  private final DeviceSpec[] homes;

  private final @Nullable ClusterDevice[] chosen;

  /**
   * Each node as a group of its own.
   *
   * @param before the devices of the first nodes
   * @param isSoft whether types and ids that contradict each other give way
   */
  ColocationGroups(FlowGraph graph, List<ClusterDevice> before, boolean isSoft) {
    this.graph = graph;
    this.isSoft = isSoft;
    int nodes = graph.nodes().size();
    this.parent = new int[nodes];
    this.asked = new DeviceSpec[nodes];
    this.homes = new DeviceSpec[nodes];
    this.chosen = before.toArray(new ClusterDevice[nodes]);
    for (int i = 0; i < nodes; i++) {
      Node node = graph.nodes().get(i);
      DeviceSpec device = i < before.size() ? before.get(i).spec() : asked(node);
      parent[i] = i;
      asked[i] = device;
      homes[i] = makesResource(node) ? device : DeviceSpec.ANY;
    }
  }

  private static DeviceSpec asked(Node node) {
    try {
      return DeviceSpec.parse(node.device());
    } catch (StatusException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Malformed device specification '%s' in node: {{node %s}}"
              .formatted(node.device(), node.name()),
          e);
    }
  }

  private static boolean makesResource(Node node) {
    return node.inputs().isEmpty()
        && node.outputTypes().size() == 1
        && (node.isRefOutput(0) || node.outputTypes().getFirst() == DataType.RESOURCE);
  }

  /**
   * Joins groups.
   *
   * @param free nodes that may be elsewhere than the resources that they take
   * @throws StatusException INVALID_ARGUMENT naming nodes that must be together and can't be
   */
  void join(Set<Integer> free) {
    joinByClass();
    joinByReferences(free);
  }

  private void joinByClass() {
    Map<String, Integer> groups = new HashMap<>();
    for (int i = 0; i < parent.length; i++) {
      int node = i;
      groups.merge(graph.nodes().get(i).name(), i, (other, _) -> joined(other, node));
      for (String member : groupsOf(graph.nodes().get(i))) {
        groups.merge(member, i, (other, _) -> joined(other, node));
      }
    }
  }

  /** The groups that {@code node} says it is in, by the names of nodes. */
  static List<String> groupsOf(Node node) {
    return node.attrs().values().containsKey(COLOCATION)
        ? node.attrs().strings(COLOCATION).stream()
            .filter(s -> s.startsWith(PREFIX))
            .map(s -> s.substring(PREFIX.length()))
            .toList()
        : List.of();
  }

  private int joined(int a, int b) {
    int first = root(a);
    int second = root(b);
    if (first != second) {
      DeviceSpec together;
      try {
        together = asked[first].merge(asked[second], isSoft);
        homes[first] = homes[first].merge(homes[second], isSoft);
      } catch (StatusException e) {
        throw StatusException.invalidArgument(
            "Cannot colocate nodes {{colocation_node %s}} and {{colocation_node %s}}: %s",
            graph.nodes().get(a).name(), graph.nodes().get(b).name(), e.message());
      }
      adopt(first, second, together);
    }
    return first;
  }

  private void adopt(int first, int second, DeviceSpec together) {
    parent[second] = first;
    asked[first] = together;
    if (chosen[first] == null) {
      chosen[first] = chosen[second];
    }
  }

  /** The node by which the group of {@code node} goes. */
  int root(int node) {
    int at = node;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  /** A variable, a table or a queue is used where it lies, whatever its users ask for. */
  private void joinByReferences(Set<Integer> free) {
    for (int i = 0; i < parent.length; i++) {
      Node node = graph.nodes().get(i);
      boolean isFree = free.contains(i) || node.op().name().equals(PASSES_EACH);
      for (int k = 0; k < node.inputs().size() && !isFree; k++) {
        if (node.isRefInput(k) || node.inputTypes().get(k) == DataType.RESOURCE) {
          follow(node.inputs().get(k).node(), i);
        }
      }
    }
  }

  private void follow(int producer, int consumer) {
    int first = root(producer);
    int second = root(consumer);
    if (first == second) {
      return;
    }
    ClusterDevice one = chosen[first];
    ClusterDevice other = chosen[second];
    if (one != null && other != null && !one.equals(other)) {
      throw apart("assigned", one.spec(), other.spec(), producer, consumer);
    }
    if (!homes[first].isCompatibleWith(homes[second])) {
      throw apart("resource", homes[first], homes[second], producer, consumer);
    }
    DeviceSpec together =
        asked[first].isCompatibleWith(asked[second])
            ? asked[first].merge(asked[second], false)
            : asked[first];
    homes[first] = homes[first].merge(homes[second], false);
    adopt(first, second, homes[first].over(together));
  }

  private StatusException apart(
      String what, DeviceSpec first, DeviceSpec second, int producer, int consumer) {
    return StatusException.invalidArgument(
        "Cannot place the graph because a reference or resource edge connects colocation groups"
            + " with incompatible %s devices: %s vs %s. The edge src node is %s, and the dst node"
            + " is %s.",
        what,
        first,
        second,
        described(graph.nodes().get(producer)),
        described(graph.nodes().get(consumer)));
  }

  private static String described(Node node) {
    return "name='%s' (op='%s')".formatted(node.name(), node.op().name());
  }

  /** What the group of {@code node} asks for. */
  DeviceSpec asked(int node) {
    return asked[root(node)];
  }

  /** The device of the group of {@code node}, once there is one. */
  @Nullable ClusterDevice chosen(int node) {
    return chosen[root(node)];
  }

  void choose(int node, ClusterDevice device) {
    chosen[root(node)] = device;
  }
}

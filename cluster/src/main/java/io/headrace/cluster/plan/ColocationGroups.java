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
 * The colocation groups of a graph, as a union-find of its nodes, and the device that each group
 * requests. Nodes share a group if their {@code _class} attrs say so, or if one takes a resource or
 * reference that the other one makes.
 */
final class ColocationGroups {
  /** The attr that lists the colocation groups of a node. */
  static final String COLOCATION = "_class";

  /** The prefix of a group name in that attr. */
  static final String PREFIX = "loc:@";

  /** An op that forwards each input by itself; its inputs may be resources of several tasks. */
  private static final String PASSES_EACH = "IdentityN";

  private final FlowGraph graph;
  private final boolean isSoft;
  private final int[] parent;
  private final DeviceSpec[] requested;

  /** The devices requested by the variables, tables and queues of each group. */
  private final DeviceSpec[] resourceDevices;

  private final @Nullable ClusterDevice[] assigned;

  /**
   * Starts with a group for each node.
   *
   * @param before the devices of the nodes that are already placed, which come first
   * @param isSoft whether conflicting device types and ids are dropped instead of failing (soft
   *     placement)
   */
  ColocationGroups(FlowGraph graph, List<ClusterDevice> before, boolean isSoft) {
    this.graph = graph;
    this.isSoft = isSoft;
    int nodes = graph.nodes().size();
    this.parent = new int[nodes];
    this.requested = new DeviceSpec[nodes];
    this.resourceDevices = new DeviceSpec[nodes];
    this.assigned = before.toArray(new ClusterDevice[nodes]);
    for (int i = 0; i < nodes; i++) {
      Node node = graph.nodes().get(i);
      DeviceSpec device = i < before.size() ? before.get(i).spec() : requested(node);
      parent[i] = i;
      requested[i] = device;
      resourceDevices[i] = makesResource(node) ? device : DeviceSpec.ANY;
    }
  }

  private static DeviceSpec requested(Node node) {
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
   * Merges the groups of colocated nodes.
   *
   * @param free nodes that need not be colocated with the resources that they take
   * @throws StatusException INVALID_ARGUMENT, naming two nodes of one group with incompatible
   *     devices
   */
  void join(Set<Integer> free) {
    joinByClass();
    joinByReferences(free);
  }

  private void joinByClass() {
    Map<String, Integer> groups = new HashMap<>();
    for (int i = 0; i < parent.length; i++) {
      int node = i;
      groups.merge(graph.nodes().get(i).name(), i, (other, _) -> merged(other, node));
      for (String member : groupsOf(graph.nodes().get(i))) {
        groups.merge(member, i, (other, _) -> merged(other, node));
      }
    }
  }

  /** The colocation groups of {@code node}: names of nodes. */
  static List<String> groupsOf(Node node) {
    return node.attrs().values().containsKey(COLOCATION)
        ? node.attrs().strings(COLOCATION).stream()
            .filter(s -> s.startsWith(PREFIX))
            .map(s -> s.substring(PREFIX.length()))
            .toList()
        : List.of();
  }

  private int merged(int a, int b) {
    int first = root(a);
    int second = root(b);
    if (first != second) {
      DeviceSpec together;
      try {
        together = requested[first].merge(requested[second], isSoft);
        resourceDevices[first] = resourceDevices[first].merge(resourceDevices[second], isSoft);
      } catch (StatusException e) {
        throw StatusException.invalidArgument(
            "Cannot colocate nodes {{colocation_node %s}} and {{colocation_node %s}}: %s",
            graph.nodes().get(a).name(), graph.nodes().get(b).name(), e.message());
      }
      mergeInto(first, second, together);
    }
    return first;
  }

  private void mergeInto(int first, int second, DeviceSpec together) {
    parent[second] = first;
    requested[first] = together;
    if (assigned[first] == null) {
      assigned[first] = assigned[second];
    }
  }

  /** The representative of the group of {@code node}. */
  int root(int node) {
    int at = node;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  /**
   * Merges the groups of resources with those of their users, whatever devices the users request.
   */
  private void joinByReferences(Set<Integer> free) {
    for (int i = 0; i < parent.length; i++) {
      Node node = graph.nodes().get(i);
      boolean isFree = free.contains(i) || node.op().name().equals(PASSES_EACH);
      for (int k = 0; k < node.inputs().size() && !isFree; k++) {
        if (node.isRefInput(k) || node.inputTypes().get(k) == DataType.RESOURCE) {
          joinWithResource(node.inputs().get(k).node(), i);
        }
      }
    }
  }

  private void joinWithResource(int producer, int consumer) {
    int first = root(producer);
    int second = root(consumer);
    if (first == second) {
      return;
    }
    ClusterDevice one = assigned[first];
    ClusterDevice other = assigned[second];
    if (one != null && other != null && !one.equals(other)) {
      throw incompatible("assigned", one.spec(), other.spec(), producer, consumer);
    }
    if (!resourceDevices[first].isCompatibleWith(resourceDevices[second])) {
      throw incompatible(
          "resource", resourceDevices[first], resourceDevices[second], producer, consumer);
    }
    DeviceSpec together =
        requested[first].isCompatibleWith(requested[second])
            ? requested[first].merge(requested[second], false)
            : requested[first];
    resourceDevices[first] = resourceDevices[first].merge(resourceDevices[second], false);
    mergeInto(first, second, resourceDevices[first].over(together));
  }

  private StatusException incompatible(
      String what, DeviceSpec first, DeviceSpec second, int producer, int consumer) {
    return StatusException.invalidArgument(
        "Cannot place the graph because a reference or resource edge connects colocation groups"
            + " with incompatible %s devices: %s vs %s. The edge src node is %s, and the dst node"
            + " is %s.",
        what,
        first,
        second,
        describe(graph.nodes().get(producer)),
        describe(graph.nodes().get(consumer)));
  }

  private static String describe(Node node) {
    return "name='%s' (op='%s')".formatted(node.name(), node.op().name());
  }

  /** The device that the group of {@code node} requests. */
  DeviceSpec requested(int node) {
    return requested[root(node)];
  }

  /** The device assigned to the group of {@code node}; null until one is. */
  @Nullable ClusterDevice assigned(int node) {
    return assigned[root(node)];
  }

  void assign(int node, ClusterDevice device) {
    assigned[root(node)] = device;
  }
}

package io.headrace.cluster;

import io.headrace.cluster.DeviceSet.ClusterDevice;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a device for each node of a graph, as TensorFlow does: where the node asks to be, with
 * those that it must be with, and otherwise at the master's task.
 */
final class Placer {
  private static final Set<String> METADATA = Set.of("Shape", "ShapeN", "Size", "Rank");
  private static final String COLOCATION = "_class";
  private static final String GROUP_PREFIX = "loc:@";

  private final FlowGraph graph;
  private final DeviceSet devices;
  private final boolean isSoft;
  private final int[] parent;
  private final DeviceSpec[] asked;
  private final @Nullable ClusterDevice[] chosen;
  private final List<List<Integer>> consumers = new ArrayList<>();

  private Placer(FlowGraph graph, DeviceSet devices, boolean isSoft) {
    this.graph = graph;
    this.devices = devices;
    this.isSoft = isSoft;
    int nodes = graph.nodes().size();
    this.parent = new int[nodes];
    this.asked = new DeviceSpec[nodes];
    this.chosen = new ClusterDevice[nodes];
    for (int i = 0; i < nodes; i++) {
      parent[i] = i;
      asked[i] = asked(graph.nodes().get(i));
      consumers.add(new ArrayList<>());
    }
    for (int i = 0; i < nodes; i++) {
      for (Endpoint input : graph.nodes().get(i).inputs()) {
        consumers.get(input.node()).add(i);
      }
    }
  }

  /**
   * The devices of all nodes.
   *
   * @param before the devices of the first nodes, which stay
   * @param isSoft whether a type or id that there is not gives way
   * @throws StatusException INVALID_ARGUMENT naming a node that can be nowhere
   */
  static List<ClusterDevice> place(
      FlowGraph graph, List<ClusterDevice> before, DeviceSet devices, boolean isSoft) {
    Placer placer = new Placer(graph, devices, isSoft);
    for (int i = 0; i < before.size(); i++) {
      placer.asked[i] = before.get(i).spec();
      placer.chosen[i] = before.get(i);
    }
    return placer.placed();
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

  private List<ClusterDevice> placed() {
    joinByClass();
    joinByReferences();
    List<Integer> sources = new ArrayList<>();
    for (int i = 0; i < parent.length; i++) {
      if (isFreeSource(i)) {
        sources.add(i);
      } else {
        choose(i);
      }
    }
    sources.forEach(this::chooseByConsumers);
    return Arrays.stream(chosen)
        .map(device -> {
          if (device == null) {
            throw new IllegalStateException("a node was not placed");
          }
          return device;
        })
        .toList();
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

  private static List<String> groupsOf(Node node) {
    return node.attrs().values().containsKey(COLOCATION)
        ? node.attrs().strings(COLOCATION).stream()
            .filter(s -> s.startsWith(GROUP_PREFIX))
            .map(s -> s.substring(GROUP_PREFIX.length()))
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

  private int root(int node) {
    int at = node;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  /** A variable, a table or a queue is used where it lies, whatever its users ask for. */
  private void joinByReferences() {
    for (int i = 0; i < parent.length; i++) {
      Node node = graph.nodes().get(i);
      for (int k = 0; k < node.inputs().size(); k++) {
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
    DeviceSpec together = asked[first];
    if (asked[first].isCompatibleWith(asked[second])) {
      together = asked[first].merge(asked[second], false);
    }
    adopt(first, second, together);
  }

  private boolean isFreeSource(int index) {
    Node node = graph.nodes().get(index);
    return node.inputs().isEmpty()
        && node.outputTypes().size() == 1
        && !node.isRefOutput(0)
        && node.outputTypes().getFirst() != DataType.RESOURCE
        && root(index) == index
        && chosen[index] == null
        && asked[index].equals(DeviceSpec.ANY)
        && !consumers.get(index).isEmpty();
  }

  private ClusterDevice choose(int index) {
    int root = root(index);
    ClusterDevice device = chosen[root];
    if (device == null) {
      device = followed(index);
      if (device == null) {
        device = best(index, asked[root]);
      }
      chosen[root] = device;
    }
    if (chosen[index] == null) {
      chosen[index] = device;
    }
    return device;
  }

  /** Where the input of an op is that only looks at it, or passes it on to one other. */
  private @Nullable ClusterDevice followed(int index) {
    Node node = graph.nodes().get(index);
    boolean looks = METADATA.contains(node.op().name());
    boolean passes = node.op().name().equals("Identity") && consumers.get(index).size() == 1;
    if (!asked[root(index)].equals(DeviceSpec.ANY)
        || node.inputs().size() != 1
        || !(looks || passes)) {
      return null;
    }
    int input = node.inputs().getFirst().node();
    return input < index ? chosen[root(input)] : null;
  }

  private void chooseByConsumers(int index) {
    int root = root(index);
    ClusterDevice common = null;
    for (int consumer : consumers.get(index)) {
      ClusterDevice device = chosen[root(consumer)];
      if (device == null || (common != null && !common.equals(device))) {
        choose(index);
        return;
      }
      common = device;
    }
    if (chosen[root] == null && common != null) {
      chosen[root] = common;
    }
    choose(index);
  }

  private ClusterDevice best(int index, DeviceSpec spec) {
    Node node = graph.nodes().get(index);
    List<ClusterDevice> candidates = usable(devices.matching(spec));
    if (candidates.isEmpty() && isSoft) {
      candidates = usable(devices.matching(spec.taskOnly()));
    }
    if (candidates.isEmpty()) {
      throw StatusException.invalidArgument(
          "Cannot assign a device for operation %s: {{node %s}} was explicitly assigned to %s but"
              + " available devices are [ %s ]. Make sure the device specification refers to a"
              + " valid device.%s\n\t [[%s]]",
          node.name(),
          node.name(),
          node.device().isEmpty() ? spec : node.device(),
          String.join(", ", devices.names()),
          spec.type().filter("GPU"::equals).isPresent()
              ? " The requested device appears to be a GPU, but CUDA is not enabled."
              : "",
          node.name());
    }
    return candidates.getFirst();
  }

  /** CPUs, for which there are kernels; others only where a node asks for them. */
  private static List<ClusterDevice> usable(List<ClusterDevice> candidates) {
    return candidates.stream().filter(d -> d.type().equals("CPU")).toList();
  }
}

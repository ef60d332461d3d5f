package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a device for each node of a graph, as TensorFlow does: where the node asks to be, with
 * those that it must be with, and otherwise at the master's task.
 */
final class Placer {
  private static final Set<String> METADATA = Set.of("Shape", "ShapeN", "Size", "Rank");
  private final FlowGraph graph;
  private final DeviceSet devices;
  private final boolean isSoft;
  private final ColocationGroups groups;
  private final @Nullable ClusterDevice[] chosen;
  private final List<List<Integer>> consumers = new ArrayList<>();

  private Placer(FlowGraph graph, List<ClusterDevice> before, DeviceSet devices, boolean isSoft) {
    this.graph = graph;
    this.devices = devices;
    this.isSoft = isSoft;
    this.groups = new ColocationGroups(graph, before, isSoft);
    this.chosen = before.toArray(new ClusterDevice[graph.nodes().size()]);
    for (Node _ : graph.nodes()) {
      consumers.add(new ArrayList<>());
    }
    for (int i = 0; i < graph.nodes().size(); i++) {
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
   * @throws StatusException INVALID_ARGUMENT naming a node that can be nowhere, or that takes
   *     resources of several devices
   */
  static List<ClusterDevice> place(
      FlowGraph graph, List<ClusterDevice> before, DeviceSet devices, boolean isSoft) {
    return place(graph, before, devices, isSoft, Set.of());
  }

  /**
   * The same, where nodes may be elsewhere than the resources that they take.
   *
   * @param free these nodes, by index
   */
  static List<ClusterDevice> place(
      FlowGraph graph,
      List<ClusterDevice> before,
      DeviceSet devices,
      boolean isSoft,
      Set<Integer> free) {
    return new Placer(graph, before, devices, isSoft).placed(free);
  }

  private List<ClusterDevice> placed(Set<Integer> free) {
    groups.join(free);
    List<Integer> sources = new ArrayList<>();
    for (int i = 0; i < chosen.length; i++) {
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

  private boolean isFreeSource(int index) {
    Node node = graph.nodes().get(index);
    return node.inputs().isEmpty()
        && node.outputTypes().size() == 1
        && !node.isRefOutput(0)
        && node.outputTypes().getFirst() != DataType.RESOURCE
        && groups.root(index) == index
        && groups.chosen(index) == null
        && groups.asked(index).equals(DeviceSpec.ANY)
        && !consumers.get(index).isEmpty();
  }

  private void choose(int index) {
    ClusterDevice device = groups.chosen(index);
    if (device == null) {
      device = followed(index);
      if (device == null) {
        device = best(index, groups.asked(index));
      }
      groups.choose(index, device);
    }
    if (chosen[index] == null) {
      chosen[index] = device;
    }
  }

  /** Where the input of an op is that only looks at it, or passes it on to one other. */
  private @Nullable ClusterDevice followed(int index) {
    Node node = graph.nodes().get(index);
    boolean looks = METADATA.contains(node.op().name());
    boolean passes = node.op().name().equals("Identity") && consumers.get(index).size() == 1;
    if (!groups.asked(index).equals(DeviceSpec.ANY)
        || node.inputs().size() != 1
        || !(looks || passes)) {
      return null;
    }
    int input = node.inputs().getFirst().node();
    return input < index ? groups.chosen(input) : null;
  }

  private void chooseByConsumers(int index) {
    ClusterDevice common = null;
    for (int consumer : consumers.get(index)) {
      ClusterDevice device = groups.chosen(consumer);
      if (device == null || (common != null && !common.equals(device))) {
        choose(index);
        return;
      }
      common = device;
    }
    if (groups.chosen(index) == null && common != null) {
      groups.choose(index, common);
    }
    choose(index);
  }

  private ClusterDevice best(int index, DeviceSpec spec) {
    Node node = graph.nodes().get(index);
    List<ClusterDevice> candidates = candidates(devices, spec, isSoft);
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

  /** The devices that a node may be at that asks for {@code spec}, best first. */
  static List<ClusterDevice> candidates(DeviceSet devices, DeviceSpec spec, boolean isSoft) {
    List<ClusterDevice> candidates = usable(devices, spec);
    return candidates.isEmpty() && isSoft ? usable(devices, spec.taskOnly()) : candidates;
  }

  /**
   * Those of the type that is asked for; CPUs if none is, since there are kernels for them: what a
   * stock task has kernels for on another of its devices is known to it alone.
   */
  private static List<ClusterDevice> usable(DeviceSet devices, DeviceSpec spec) {
    String type = spec.type().orElse(Device.CPU);
    return devices.matching(spec).stream().filter(d -> d.type().equals(type)).toList();
  }
}

package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.AcceleratedNodes;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
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
 * Chooses a device for each node of a graph, as TensorFlow does: the requested device, the device
 * of the node's colocation group, or else one of the master's task.
 */
final class Placer {
  private static final Set<String> METADATA = Set.of("Shape", "ShapeN", "Size", "Rank");
  private final FlowGraph graph;
  private final DeviceSet devices;
  private final boolean isSoft;
  private final ColocationGroups groups;
  private final @Nullable ClusterDevice[] chosen;
  private final List<List<Integer>> consumers = new ArrayList<>();

  /** By the root of a colocation group, a node of it that runs on no GPU of Headrace's. */
  private final Map<Integer, Node> hostOnly = new HashMap<>();

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
   * @param before the devices of the nodes that are already placed, which come first and do not
   *     move
   * @param isSoft whether a requested device type or id that does not exist is dropped (soft
   *     placement)
   * @throws StatusException INVALID_ARGUMENT, naming a node without a feasible device, or one that
   *     takes resources of several devices
   */
  static List<ClusterDevice> place(
      FlowGraph graph, List<ClusterDevice> before, DeviceSet devices, boolean isSoft) {
    return place(graph, before, devices, isSoft, Set.of());
  }

  /**
   * The devices of all nodes, where {@code free} nodes need not be colocated with the resources
   * that they take.
   *
   * @param free the indices of these nodes
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
    for (int i = 0; i < chosen.length; i++) {
      Node node = graph.nodes().get(i);
      if (!AcceleratedNodes.areRun(
          node.op(), node.attrs(), node.inputTypes(), node.outputTypes())) {
        hostOnly.putIfAbsent(groups.root(i), node);
      }
    }
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
        && groups.assigned(index) == null
        && groups.requested(index).equals(DeviceSpec.ANY)
        && !consumers.get(index).isEmpty();
  }

  private void choose(int index) {
    ClusterDevice device = groups.assigned(index);
    if (device == null) {
      device = inputDevice(index);
      if (device == null) {
        device = best(index, groups.requested(index));
      }
      groups.assign(index, device);
    }
    if (chosen[index] == null) {
      chosen[index] = device;
    }
  }

  /**
   * The device of the input of an op that reads only metadata, or of an Identity with one consumer;
   * null for other nodes.
   */
  private @Nullable ClusterDevice inputDevice(int index) {
    Node node = graph.nodes().get(index);
    boolean readsMetadata = METADATA.contains(node.op().name());
    boolean forwards = node.op().name().equals("Identity") && consumers.get(index).size() == 1;
    if (!groups.requested(index).equals(DeviceSpec.ANY)
        || node.inputs().size() != 1
        || !(readsMetadata || forwards)) {
      return null;
    }
    int input = node.inputs().getFirst().node();
    return input < index ? groups.assigned(input) : null;
  }

  private void chooseByConsumers(int index) {
    ClusterDevice common = null;
    for (int consumer : consumers.get(index)) {
      ClusterDevice device = groups.assigned(consumer);
      if (device == null || (common != null && !common.equals(device))) {
        choose(index);
        return;
      }
      common = device;
    }
    if (groups.assigned(index) == null && common != null && runs(index, common)) {
      groups.assign(index, common);
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
          spec.type().filter(Device.GPU::equals).isPresent()
              ? " The requested device appears to be a GPU, but CUDA is not enabled."
              : "",
          node.name());
    }
    return withKernel(index, spec, candidates.getFirst());
  }

  /** Whether a device runs a node's colocation group; only other tasks know their GPUs' kernels. */
  private boolean runs(int index, ClusterDevice device) {
    return device.type().equals(Device.CPU)
        || !device.isLocal()
        || !hostOnly.containsKey(groups.root(index));
  }

  /** A requested device, or, if it does not run the node's group and placement is soft, a CPU. */
  private ClusterDevice withKernel(int index, DeviceSpec spec, ClusterDevice requested) {
    if (runs(index, requested)) {
      return requested;
    }
    Node node = hostOnly.getOrDefault(groups.root(index), graph.nodes().get(index));
    if (isSoft) {
      return ofRequestedType(devices, spec.taskOnly()).getFirst();
    }
    throw StatusException.invalidArgument(
        "Cannot assign a device for operation %s: Could not satisfy explicit device specification"
            + " '%s' because no supported kernel for %s devices is available.\n\t [[%s]]",
        node.name(), node.device().isEmpty() ? spec : node.device(), requested.type(), node.name());
  }

  /** The feasible devices of a node that requests {@code spec}, best first. */
  static List<ClusterDevice> candidates(DeviceSet devices, DeviceSpec spec, boolean isSoft) {
    List<ClusterDevice> candidates = ofRequestedType(devices, spec);
    return candidates.isEmpty() && isSoft ? ofRequestedType(devices, spec.taskOnly()) : candidates;
  }

  /**
   * The devices of the requested type, by default CPUs, which have kernels for all ops: only a
   * stock task itself knows the kernels of its other devices.
   */
  private static List<ClusterDevice> ofRequestedType(DeviceSet devices, DeviceSpec spec) {
    String type = spec.type().orElse(Device.CPU);
    return devices.matching(spec).stream().filter(d -> d.type().equals(type)).toList();
  }
}

package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.SessionGraph.Setting;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.LegacyFunctionCalls;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lowers functional calls, conditionals and loops that no single device can run as requested,
 * before placement: nodes whose functions have nodes pinned to other devices, and nodes that take
 * resources of several devices, or of another device than they request. All others stay one node,
 * which runs its functions on one device without sending anything; so do calls of recursive
 * functions, and TensorFlow 1's calls, whose op is the function's name.
 *
 * <p>A loop or conditional becomes TensorFlow 1's loop or conditional, with calls of its functions;
 * a call becomes the nodes of its function. Each round examines the nodes that the previous one
 * added, so that only the parts of a large function that span devices are lowered.
 */
final class Lowering {
  /** The limit of added nodes, lest functions that call others twice exhaust the memory. */
  private static final int MAX_NODES = 250_000;

  /**
   * The result of a lowering.
   *
   * @param graph the graph with the replacement nodes
   * @param outputs the outputs of lowered nodes, each with its replacement
   */
  record Lowered(FlowGraph graph, Map<TensorName, TensorName> outputs) {}

  private final SessionGraph before;
  private final FunctionDefLibrary library;
  private final FunctionCallGraph functions;
  private final Setting setting;
  private final Map<TensorName, TensorName> outputs;
  private final Set<String> followers = new HashSet<>();

  /**
   * The names of TensorFlow 1's calls, whose op is the function's name; these run on one device.
   */
  private final Set<String> plainCalls = new HashSet<>();

  /** The number of nodes that the client added. */
  private final int added;

  private Lowering(SessionGraph before, FunctionDefLibrary library, Setting setting, int added) {
    this.before = before;
    this.library = library;
    this.functions = new FunctionCallGraph(LegacyFunctionCalls.written(library, setting.ops()));
    this.setting = setting;
    this.outputs = new HashMap<>(before.lowered());
    this.added = added;
  }

  /**
   * Extends the graph of {@code before} by {@code added}, lowering nodes as needed.
   *
   * @param library the functions
   * @throws StatusException INVALID_ARGUMENT, UNIMPLEMENTED or NOT_FOUND naming a node or function
   *     that is malformed or has an unregistered op; RESOURCE_EXHAUSTED if the graph becomes too
   *     large
   */
  static Lowered lower(
      SessionGraph before, List<NodeDef> added, FunctionDefLibrary library, Setting setting) {
    return new Lowering(before, library, setting, added.size()).lowered(added);
  }

  private Lowered lowered(List<NodeDef> added) {
    List<NodeDef> nodes = rewired(added);
    FlowGraph graph = graph(nodes);
    for (Set<Integer> toLower = nodesToLower(graph);
        !toLower.isEmpty();
        toLower = nodesToLower(graph)) {
      nodes = rewired(expanded(graph, toLower));
      graph = graph(nodes);
    }
    if (!followers.isEmpty()) {
      graph = graph(nodes.stream().map(this::colocatedWithInput).toList());
    }
    return new Lowered(graph, Map.copyOf(outputs));
  }

  private FlowGraph graph(List<NodeDef> nodes) {
    for (NodeDef node : nodes) {
      if (setting.ops().find(node.getOp()) == null) {
        plainCalls.add(node.getName());
      }
    }
    return before
        .graph()
        .with(
            LegacyFunctionCalls.written(nodes, library, setting.ops()),
            new OpFinder(setting.ops())::find);
  }

  /** {@code nodes} with outputs of lowered nodes among their inputs replaced. */
  private List<NodeDef> rewired(List<NodeDef> nodes) {
    return outputs.isEmpty() ? nodes : nodes.stream().map(this::rewired).toList();
  }

  private NodeDef rewired(NodeDef node) {
    NodeDef.Builder rewired = node.toBuilder();
    for (int i = 0; i < node.getInputCount(); i++) {
      String input = node.getInput(i);
      if (!input.startsWith("^")) {
        TensorName name = TensorName.parse(input);
        TensorName moved = SessionGraph.source(name, outputs);
        if (!moved.equals(name)) {
          rewired.setInput(i, moved.toString());
        }
      }
    }
    return rewired.build();
  }

  /** The indices of the new nodes to lower. */
  private Set<Integer> nodesToLower(FlowGraph graph) {
    Set<Integer> candidates = new LinkedHashSet<>();
    if (setting.devices().all().size() > 1) {
      for (int i = before.graph().nodes().size(); i < graph.nodes().size(); i++) {
        if (isCandidate(graph, i)) {
          candidates.add(i);
        }
      }
    }
    if (candidates.isEmpty()) {
      return candidates;
    }
    List<ClusterDevice> placed =
        Placer.place(graph, before.devices(), setting.devices(), setting.isSoft(), candidates);
    candidates.removeIf(i -> !spansDevices(graph, i, placed));
    return candidates;
  }

  private boolean isCandidate(FlowGraph graph, int index) {
    NodeDef definition = graph.definition(index);
    Node node = graph.nodes().get(index);
    return FunctionCallGraph.mayBeLowered(definition)
        && !plainCalls.contains(node.name())
        && canBeLowered(node)
        && (resources(node).size() > 1
            || (!resources(node).isEmpty() && !node.device().isEmpty())
            || !functions.devices(definition).isEmpty())
        && !functions.isRecursive(definition);
  }

  /** TensorFlow 1's ops have no conditional on a string and no loop without variables. */
  private static boolean canBeLowered(Node node) {
    return switch (node.op().name()) {
      case "If", "StatelessIf" -> node.inputTypes().getFirst() != DataType.STRING;
      case "While", "StatelessWhile" -> !node.inputTypes().isEmpty();
      default -> true;
    };
  }

  private static List<Endpoint> resources(Node node) {
    List<Endpoint> resources = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      if (node.inputTypes().get(i) == DataType.RESOURCE) {
        resources.add(node.inputs().get(i));
      }
    }
    return resources;
  }

  private boolean spansDevices(FlowGraph graph, int index, List<ClusterDevice> placed) {
    Node node = graph.nodes().get(index);
    Set<ClusterDevice> devices = new LinkedHashSet<>();
    resources(node).forEach(resource -> devices.add(placed.get(resource.node())));
    if (devices.size() > 1) {
      return true;
    }
    ClusterDevice device = devices.isEmpty() ? placed.get(index) : devices.iterator().next();
    DeviceSpec requested = DeviceSpec.parse(node.device());
    return !canRunOn(device, requested)
        || functions.devices(graph.definition(index)).stream()
            .anyMatch(inner -> !canRunOn(device, inner.over(requested)));
  }

  private boolean canRunOn(ClusterDevice device, DeviceSpec requested) {
    return Placer.candidates(setting.devices(), requested, setting.isSoft()).contains(device);
  }

  /** The new nodes of {@code graph}, with {@code toLower} replaced. */
  private List<NodeDef> expanded(FlowGraph graph, Set<Integer> toLower) {
    List<String> names = graph.nodes().stream().map(Node::name).toList();
    LoweredNodeBuilder.Collected collected =
        new LoweredNodeBuilder.Collected(names, outputs, followers);
    for (int i = before.graph().nodes().size(); i < graph.nodes().size(); i++) {
      if (toLower.contains(i)) {
        checkSize(graph, i, collected.nodes.size());
        expand(new LoweredNodeBuilder(graph.definition(i), graph.nodes().get(i), collected));
      } else {
        collected.nodes.add(graph.definition(i));
      }
    }
    return collected.nodes;
  }

  private void checkSize(FlowGraph graph, int index, int collected) {
    if (functions.nodes(graph.definition(index), MAX_NODES) > MAX_NODES
        || collected - added > MAX_NODES) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "the functions that node %s calls have more than %d nodes",
          graph.nodes().get(index).name(),
          MAX_NODES);
    }
  }

  private void expand(LoweredNodeBuilder node) {
    Node lowered = node.node();
    switch (lowered.op().name()) {
      case "If", "StatelessIf" -> ConditionalLowering.lowerIf(node);
      case "Case", "StatelessCase" -> ConditionalLowering.lowerCase(node);
      case "While", "StatelessWhile" -> WhileLowering.lower(node, functions);
      default ->
          CallLowering.lower(
              node,
              functions.definition(lowered.attrs().function("f").name(), lowered.name()),
              setting.ops());
    }
  }

  /** Colocates a forwarding node with its input. */
  private NodeDef colocatedWithInput(NodeDef node) {
    if (!followers.contains(node.getName())) {
      return node;
    }
    List<String> followed = List.of(LoweredNodeBuilder.nodeOf(node.getInput(0)));
    return node.toBuilder()
        .putAttr(ColocationGroups.COLOCATION, LoweredNodeBuilder.colocation(followed))
        .build();
  }
}

package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.SessionGraph.Setting;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
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
 * Takes calls, conditionals and loops apart that one device can't run as they ask to be run, before
 * they are placed: those that call functions with nodes for other devices, and those that take
 * resources of several devices, or of another than they ask for. The others stay one node, which
 * runs its functions at one device without sending anything; so do functions that call themselves,
 * and those that a node names as its op.
 *
 * <p>A loop or conditional becomes TensorFlow 1's, with calls of its functions; a call becomes the
 * nodes of its function. Each round looks at what the one before has made, so that of a large
 * function only that is taken apart which is of several devices.
 */
final class Lowering {
  /** By how many nodes a graph may grow, lest functions that call others twice fill the memory. */
  private static final int MAX_NODES = 250_000;

  /**
   * A graph with what was lowered.
   *
   * @param graph the graph
   * @param outputs where the outputs are of the nodes that were
   */
  record Lowered(FlowGraph graph, Map<TensorName, TensorName> outputs) {}

  private final SessionGraph before;
  private final FunctionDefLibrary library;
  private final CalledFunctions functions;
  private final Setting setting;
  private final Map<TensorName, TensorName> outputs;
  private final Set<String> followers = new HashSet<>();

  /** Calls as TensorFlow 1 writes them, which run at one device. */
  private final Set<String> plainCalls = new HashSet<>();

  /** How many nodes were added. */
  private final int added;

  private Lowering(SessionGraph before, FunctionDefLibrary library, Setting setting, int added) {
    this.before = before;
    this.library = library;
    this.functions = new CalledFunctions(library);
    this.setting = setting;
    this.outputs = new HashMap<>(before.lowered());
    this.added = added;
  }

  /**
   * The graph of {@code before} with {@code added}, some of them lowered.
   *
   * @param library the functions
   * @throws StatusException INVALID_ARGUMENT, UNIMPLEMENTED or NOT_FOUND naming a node or function
   *     that is malformed or has an op that there is not; RESOURCE_EXHAUSTED if the graph becomes
   *     too large
   */
  static Lowered lower(
      SessionGraph before, List<NodeDef> added, FunctionDefLibrary library, Setting setting) {
    return new Lowering(before, library, setting, added.size()).lowered(added);
  }

  private Lowered lowered(List<NodeDef> added) {
    List<NodeDef> nodes = connected(added);
    FlowGraph graph = graph(nodes);
    for (Set<Integer> chosen = chosen(graph); !chosen.isEmpty(); chosen = chosen(graph)) {
      nodes = connected(expanded(graph, chosen));
      graph = graph(nodes);
    }
    if (!followers.isEmpty()) {
      graph = graph(nodes.stream().map(this::following).toList());
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
            FunctionCalls.written(nodes, library, setting.ops()),
            new OpFinder(setting.ops())::find);
  }

  /** {@code nodes} with what gives the outputs of lowered nodes as inputs in place of these. */
  private List<NodeDef> connected(List<NodeDef> nodes) {
    return outputs.isEmpty() ? nodes : nodes.stream().map(this::connected).toList();
  }

  private NodeDef connected(NodeDef node) {
    NodeDef.Builder connected = node.toBuilder();
    for (int i = 0; i < node.getInputCount(); i++) {
      String input = node.getInput(i);
      if (!input.startsWith("^")) {
        TensorName name = TensorName.parse(input);
        TensorName moved = SessionGraph.source(name, outputs);
        if (!moved.equals(name)) {
          connected.setInput(i, moved.toString());
        }
      }
    }
    return connected.build();
  }

  /** The new nodes that are to be lowered, by index. */
  private Set<Integer> chosen(FlowGraph graph) {
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
    candidates.removeIf(i -> !isOfSeveralDevices(graph, i, placed));
    return candidates;
  }

  private boolean isCandidate(FlowGraph graph, int index) {
    NodeDef definition = graph.definition(index);
    Node node = graph.nodes().get(index);
    return CalledFunctions.mayBeLowered(definition)
        && !plainCalls.contains(node.name())
        && canBeLowered(node)
        && (resources(node).size() > 1
            || (!resources(node).isEmpty() && !node.device().isEmpty())
            || !functions.devices(definition).isEmpty())
        && !functions.isRecursive(definition);
  }

  /** A condition that is a string, and a loop of nothing, are nothing to TensorFlow 1's ops. */
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

  private boolean isOfSeveralDevices(FlowGraph graph, int index, List<ClusterDevice> placed) {
    Node node = graph.nodes().get(index);
    Set<ClusterDevice> devices = new LinkedHashSet<>();
    resources(node).forEach(resource -> devices.add(placed.get(resource.node())));
    if (devices.size() > 1) {
      return true;
    }
    ClusterDevice device = devices.isEmpty() ? placed.get(index) : devices.iterator().next();
    DeviceSpec asked = DeviceSpec.parse(node.device());
    return !suits(device, asked)
        || functions.devices(graph.definition(index)).stream()
            .anyMatch(inner -> !suits(device, inner.over(asked)));
  }

  private boolean suits(ClusterDevice device, DeviceSpec asked) {
    return Placer.candidates(setting.devices(), asked, setting.isSoft()).contains(device);
  }

  /** The new nodes of {@code graph}, with others in the place of {@code chosen}. */
  private List<NodeDef> expanded(FlowGraph graph, Set<Integer> chosen) {
    List<String> names = graph.nodes().stream().map(Node::name).toList();
    LoweredNode.Collected collected = new LoweredNode.Collected(names, outputs, followers);
    for (int i = before.graph().nodes().size(); i < graph.nodes().size(); i++) {
      if (chosen.contains(i)) {
        checkSize(graph, i, collected.nodes.size());
        expand(new LoweredNode(graph.definition(i), graph.nodes().get(i), collected));
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

  private void expand(LoweredNode node) {
    Node lowered = node.node();
    switch (lowered.op().name()) {
      case "If", "StatelessIf" -> BranchLowering.lowerIf(node);
      case "Case", "StatelessCase" -> BranchLowering.lowerCase(node);
      case "While", "StatelessWhile" -> LoopLowering.lower(node, functions);
      default ->
          CallLowering.lower(
              node,
              functions.definition(lowered.attrs().function("f").name(), lowered.name()),
              setting.ops());
    }
  }

  /** A node that only passes on what it takes is where that is. */
  private NodeDef following(NodeDef node) {
    if (!followers.contains(node.getName())) {
      return node;
    }
    List<String> followed = List.of(LoweredNode.nodeOf(node.getInput(0)));
    return node.toBuilder()
        .putAttr(ColocationGroups.COLOCATION, LoweredNode.colocation(followed))
        .build();
  }
}

package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.graph.DevicePin;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Partitions the body of a function by device: replaces the nodes pinned to a device by nodes that
 * call functions there, each for as many of them as can run together.
 */
final class PinnedPartitioner {
  /*
   * A node's level is the maximum number of device changes on a path to it. Nodes of one device and
   * one level run together: a path from one of them that leaves the device returns at a higher
   * level, so no node outside lies between them.
   */

  private final PrunedGraph graph;
  private final PinnedFunctionExtractor functions;
  private final List<String> pins = new ArrayList<>();
  private final int[] levels;
  private final List<Node> nodes = new ArrayList<>();

  /** The endpoints of the original graph in the new one. */
  private final Map<Endpoint, Endpoint> newEndpoints = new HashMap<>();

  /** The nodes of the original graph in the new one. */
  private final int[] newIndices;

  private PinnedPartitioner(PrunedGraph graph, PinnedFunctionExtractor functions) {
    this.graph = graph;
    this.functions = functions;
    this.levels = new int[graph.nodes().size()];
    this.newIndices = new int[graph.nodes().size()];
  }

  /**
   * Replaces the pinned nodes of {@code graph}, the body of {@code function}.
   *
   * @throws StatusException INVALID_ARGUMENT if pinned nodes take or return a resource
   */
  static PrunedGraph partition(String function, PrunedGraph graph, FunctionLibrary library) {
    return graph.nodes().stream().allMatch(node -> DevicePin.of(node).isEmpty())
        ? graph
        : new PinnedPartitioner(graph, new PinnedFunctionExtractor(function, graph, library))
            .partition();
  }

  private PrunedGraph partition() {
    for (int i = 0; i < levels.length; i++) {
      Node node = graph.nodes().get(i);
      pins.add(DevicePin.of(node));
      for (Endpoint input : node.inputs()) {
        raise(i, input.node());
      }
      for (int control : node.controlInputs()) {
        raise(i, control);
      }
    }
    IntStream.range(0, levels.length)
        .boxed()
        .collect(
            Collectors.groupingBy(
                i -> new Group(levels[i], pins.get(i)),
                () -> new TreeMap<>(Group.ORDER),
                Collectors.toList()))
        .forEach((group, members) -> {
          if (group.pin().isEmpty()) {
            members.forEach(this::keep);
          } else {
            replace(group.pin(), members);
          }
        });
    return new PrunedGraph(
        nodes,
        graph.arguments().stream().map(i -> i == PrunedGraph.UNUSED ? i : newIndices[i]).toList(),
        graph.results().stream().map(this::newEndpoint).toList(),
        graph.argumentTypes());
  }

  private void raise(int node, int before) {
    int change = pins.get(node).equals(pins.get(before)) ? 0 : 1;
    levels[node] = Math.max(levels[node], levels[before] + change);
  }

  /** The key of nodes that run together. */
  private record Group(int level, String pin) {
    static final Comparator<Group> ORDER =
        Comparator.comparingInt(Group::level).thenComparing(Group::pin);
  }

  private Endpoint newEndpoint(Endpoint endpoint) {
    Endpoint now = newEndpoints.get(endpoint);
    if (now == null) {
      throw new IllegalStateException("nothing gives " + endpoint);
    }
    return now;
  }

  private void keep(int index) {
    Node node = graph.nodes().get(index);
    newIndices[index] = nodes.size();
    for (int i = 0; i < node.outputTypes().size(); i++) {
      newEndpoints.put(new Endpoint(index, i), new Endpoint(nodes.size(), i));
    }
    nodes.add(
        new Node(
            node.name(),
            node.op(),
            node.attrs(),
            node.inputs().stream().map(this::newEndpoint).toList(),
            node.controlInputs().stream().map(control -> newIndices[control]).toList(),
            node.inputTypes(),
            node.outputTypes(),
            node.device()));
  }

  private void replace(String pin, List<Integer> members) {
    Set<Integer> inside = Set.copyOf(members);
    Set<Endpoint> inputs = new LinkedHashSet<>();
    Set<Integer> controls = new TreeSet<>();
    Effect effect = Effect.NONE;
    for (int member : members) {
      Node node = graph.nodes().get(member);
      effect = effect.or(node.op().effect()).or(functions.effectOfCallees(node));
      node.inputs().stream().filter(e -> !inside.contains(e.node())).forEach(inputs::add);
      node.controlInputs().stream()
          .filter(control -> !inside.contains(control))
          .forEach(control -> controls.add(newIndices[control]));
    }
    List<Endpoint> outputs = outputs(inside);
    for (int i = 0; i < outputs.size(); i++) {
      newEndpoints.put(outputs.get(i), new Endpoint(nodes.size(), i));
    }
    members.forEach(member -> newIndices[member] = nodes.size());
    nodes.add(node(pin, members, List.copyOf(inputs), outputs, List.copyOf(controls), effect));
  }

  /** The outputs of {@code inside} that other nodes or the results consume. */
  private List<Endpoint> outputs(Set<Integer> inside) {
    Set<Endpoint> taken = new LinkedHashSet<>();
    for (int i = 0; i < levels.length; i++) {
      if (!inside.contains(i)) {
        taken.addAll(graph.nodes().get(i).inputs());
      }
    }
    taken.addAll(graph.results());
    return taken.stream().filter(e -> inside.contains(e.node())).toList();
  }

  private Node node(
      String pin,
      List<Integer> members,
      List<Endpoint> inputs,
      List<Endpoint> outputs,
      List<Integer> controls,
      Effect effect) {
    String name = graph.nodes().get(members.getFirst()).name();
    List<DataType> inputTypes = inputs.stream().map(graph::typeOf).toList();
    List<DataType> outputTypes = outputs.stream().map(graph::typeOf).toList();
    Op op = PinnedKernel.op(functions.of(pin, members, inputs, outputs), effect);
    return node(
        name,
        op,
        inputs.stream().map(this::newEndpoint).toList(),
        controls,
        inputTypes,
        outputTypes);
  }

  /** A node of {@code op}, which takes attr {@code Tin} and outputs {@code Tout}. */
  static Node node(
      String name,
      Op op,
      List<Endpoint> inputs,
      List<Integer> controls,
      List<DataType> inputTypes,
      List<DataType> outputTypes) {
    Map<String, AttrValue> attrs = Map.of("Tin", types(inputTypes), "Tout", types(outputTypes));
    return new Node(
        name, op, new Attrs(name, op, attrs), inputs, controls, inputTypes, outputTypes, "");
  }

  private static AttrValue types(List<DataType> types) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    types.forEach(type -> list.addTypeValue(type.number()));
    return AttrValue.newBuilder().setList(list).build();
  }
}

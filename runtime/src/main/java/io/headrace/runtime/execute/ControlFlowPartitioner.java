package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.graph.DevicePin;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Op.WaitingKernelMaker;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Partitions the body of a function with TensorFlow 1's control flow: replaces Switch, Merge, Enter
 * and the like, and all nodes that depend on them, by one node, whose {@link ControlFlowKernel}
 * runs them by a {@link GraphExecutor}. The remaining nodes come before it.
 */
final class ControlFlowPartitioner {
  /*
   * Every node behind a Switch may be dead, and every node of a loop runs several times, so all of
   * them belong to the region. Nothing outside of it depends on it, except for the results of the
   * function.
   */

  private final PrunedGraph graph;
  private final FunctionLibrary library;

  /** The indices of the nodes of the region. */
  private final Set<Integer> region = new LinkedHashSet<>();

  private ControlFlowPartitioner(PrunedGraph graph, FunctionLibrary library) {
    this.graph = graph;
    this.library = library;
  }

  /**
   * Replaces the control flow of {@code graph}.
   *
   * @throws StatusException INVALID_ARGUMENT naming a node that is pinned to a device and depends
   *     on control flow; UNIMPLEMENTED naming a transfer
   */
  static PrunedGraph partition(PrunedGraph graph, FunctionLibrary library) {
    return graph.nodes().stream().noneMatch(ControlFlowPartitioner::isControlFlow)
        ? graph
        : new ControlFlowPartitioner(graph, library).partition();
  }

  private static boolean isControlFlow(Node node) {
    return GraphNode.Kind.isControlFlow(node.op().name());
  }

  private PrunedGraph partition() {
    findRegion();
    region.forEach(member -> check(graph.nodes().get(member)));
    List<Node> nodes = new ArrayList<>();
    int[] newIndices = new int[graph.nodes().size()];
    for (int i = 0; i < newIndices.length; i++) {
      if (!region.contains(i)) {
        newIndices[i] = nodes.size();
        nodes.add(moved(graph.nodes().get(i), newIndices));
      }
    }
    int control = nodes.size();
    List<Integer> members = region.stream().sorted().toList();
    members.forEach(member -> newIndices[member] = control);
    List<Integer> returned = returned();
    nodes.add(node(members, returned, newIndices));
    List<Endpoint> results = new ArrayList<>();
    for (int i = 0; i < graph.results().size(); i++) {
      Endpoint result = graph.results().get(i);
      results.add(
          isOutside(result)
              ? new Endpoint(newIndices[result.node()], result.output())
              : new Endpoint(control, returned.indexOf(i)));
    }
    return new PrunedGraph(
        nodes,
        graph.arguments().stream().map(i -> i == PrunedGraph.UNUSED ? i : newIndices[i]).toList(),
        results,
        graph.argumentTypes());
  }

  /** The indices of the function's results that come from the region. */
  private List<Integer> returned() {
    return IntStream.range(0, graph.results().size())
        .filter(i -> !isOutside(graph.results().get(i)))
        .boxed()
        .toList();
  }

  private boolean isOutside(Endpoint endpoint) {
    return !region.contains(endpoint.node());
  }

  /** Adds control flow, its consumers, and the variables that they take by reference. */
  private void findRegion() {
    List<List<Integer>> users = new ArrayList<>();
    graph.nodes().forEach(_ -> users.add(new ArrayList<>()));
    Deque<Integer> work = new ArrayDeque<>();
    for (int i = 0; i < graph.nodes().size(); i++) {
      Node node = graph.nodes().get(i);
      for (Endpoint input : node.inputs()) {
        users.get(input.node()).add(i);
      }
      for (int control : node.controlInputs()) {
        users.get(control).add(i);
      }
      if (isControlFlow(node)) {
        work.add(i);
      }
    }
    while (!work.isEmpty()) {
      int next = work.remove();
      if (region.add(next)) {
        work.addAll(users.get(next));
        Node node = graph.nodes().get(next);
        for (int i = 0; i < node.inputs().size(); i++) {
          if (node.isRefInput(i)) {
            work.add(node.inputs().get(i).node());
          }
        }
      }
    }
  }

  private static void check(Node node) {
    if (GraphNode.Kind.of(node.op().name()).isTransfer()) {
      throw StatusException.unimplemented(
          "op %s (node %s) has no kernel for a CPU", node.op().name(), node.name());
    }
    if (!DevicePin.of(node).isEmpty()) {
      throw StatusException.invalidArgument(
          "node %s is pinned to %s and depends on the control flow of TensorFlow 1 (Switch, Enter):"
              + " pin nodes that come before it, or write the conditional or loop with"
              + " TensorFlow 2's control flow",
          node.name(), DevicePin.of(node));
    }
  }

  /** A node outside of the region, whose inputs have moved. */
  private static Node moved(Node node, int[] newIndices) {
    return new Node(
        node.name(),
        node.op(),
        node.attrs(),
        node.inputs().stream().map(e -> new Endpoint(newIndices[e.node()], e.output())).toList(),
        node.controlInputs().stream().map(control -> newIndices[control]).toList(),
        node.inputTypes(),
        node.outputTypes(),
        node.device());
  }

  /** The node that replaces {@code members}, with an output for each of {@code returned}. */
  private Node node(List<Integer> members, List<Integer> returned, int[] newIndices) {
    Set<Endpoint> inputs = new LinkedHashSet<>();
    Set<Integer> controls = new LinkedHashSet<>();
    Effect effect = Effect.NONE;
    boolean mayWait = false;
    for (int member : members) {
      Node node = graph.nodes().get(member);
      node.inputs().stream().filter(this::isOutside).forEach(inputs::add);
      node.controlInputs().stream()
          .filter(control -> !region.contains(control))
          .forEach(control -> controls.add(newIndices[control]));
      effect = effect.or(library.effect(node));
      mayWait |= library.mayWait(node);
    }
    ControlFlowBody body = ControlFlowBody.of(graph, members, List.copyOf(inputs), returned);
    String name = graph.nodes().get(members.getFirst()).name();
    Op.Builder op =
        Op.define("_HeadraceControlFlow(inputs: [Tin]) -> outputs: [Tout]")
            .attrs("Tin: list(type)", "Tout: list(type)")
            .stateful(effect)
            .shape(PinnedKernel.UNKNOWN);
    WaitingKernelMaker kernel = node -> ControlFlowKernel.of(node, name, body, library);
    return PinnedPartitioner.node(
        name,
        mayWait ? op.waiting(kernel) : op.kernelOn(Device.CPU, kernel::create),
        inputs.stream().map(e -> new Endpoint(newIndices[e.node()], e.output())).toList(),
        List.copyOf(controls),
        inputs.stream().map(graph::typeOf).toList(),
        returned.stream().map(i -> graph.typeOf(graph.results().get(i))).toList());
  }
}

package io.headrace.cluster.plan;

import io.headrace.cluster.plan.StepNode.Source;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a fetch of a TensorFlow 1 reference variable return its value at the end of the step.
 *
 * <p>TensorFlow's kernels update a reference variable in place, and a fetched tensor shares its
 * memory, even through an Identity: a client that runs a training op and fetches the global step
 * gets the new value, though no edge orders the two. Here tensors are immutable, so the variable is
 * read again for its fetch, on its own device, after all nodes of the step that take a reference to
 * it. A ControlTrigger waits for them, since it also runs if they are in an untaken branch. Nodes
 * in loops are not waited for, because a node outside of a loop can't be.
 */
final class FetchedRefVariables {
  private final FlowGraph graph;
  private final Collection<StepNode> nodes;
  private final LoopFrames frames;
  private final Map<StepNode, List<StepNode>> users = new HashMap<>();

  private FetchedRefVariables(FlowGraph graph, Collection<StepNode> nodes) {
    this.graph = graph;
    this.nodes = nodes;
    this.frames = new LoopFrames(List.copyOf(nodes));
  }

  /**
   * Rewires each of {@code sends} whose input is a reference, or an Identity of one on its device,
   * to send the final value.
   *
   * @param graph the session's graph, which knows the inputs and outputs that are references
   * @param nodes the nodes of the step, with their inputs
   * @return the nodes to be added
   */
  static List<StepNode> readLast(
      FlowGraph graph, Collection<StepNode> nodes, List<StepNode> sends) {
    Map<StepNode, Source> references = new LinkedHashMap<>();
    for (StepNode send : sends) {
      Source read = sentSource(send);
      Node node = node(graph, read.node());
      if (node != null && node.isRefOutput(read.output())) {
        references.put(send, read);
      }
    }
    if (references.isEmpty()) {
      return List.of();
    }
    FetchedRefVariables fetched = new FetchedRefVariables(graph, nodes);
    fetched.findUsers();
    List<StepNode> added = new ArrayList<>();
    references.forEach((send, reference) -> fetched.readLast(send, reference, added));
    return added;
  }

  /** The input of {@code send}, followed back through Identity nodes on its device. */
  private static Source sentSource(StepNode send) {
    Source source = send.inputs.getFirst();
    while (source.node().definition.getOp().equals("Identity")
        && source.node().device.equals(source.node().inputs.getFirst().node().device)) {
      source = source.node().inputs.getFirst();
    }
    return source;
  }

  /** The node in the session's graph; null for a node that was added for the step. */
  private static @Nullable Node node(FlowGraph graph, StepNode node) {
    Integer index = graph.find(node.name);
    return index == null ? null : graph.nodes().get(index);
  }

  private void findUsers() {
    for (StepNode user : nodes) {
      for (StepNode source : referencedBy(user)) {
        users.computeIfAbsent(source, _ -> new ArrayList<>()).add(user);
      }
    }
  }

  /** The nodes whose references {@code user} takes. */
  private List<StepNode> referencedBy(StepNode user) {
    Node node = node(graph, user);
    List<StepNode> found = new ArrayList<>();
    for (int i = 0; node != null && i < user.inputs.size(); i++) {
      if (node.isRefInput(i)) {
        found.add(user.inputs.get(i).node());
      }
    }
    return found;
  }

  private void readLast(StepNode send, Source reference, List<StepNode> added) {
    List<StepNode> changing =
        referenceChain(reference.node()).stream()
            .filter(node -> node != reference.node() && !referencedBy(node).isEmpty())
            .filter(node -> frames.ofOutputs(node) == null)
            .toList();
    if (changing.isEmpty()) {
      return;
    }
    StepNode changed = trigger("_changed" + send.name, reference.node());
    changed.controls.addAll(changing);
    StepNode read = identity("_read" + send.name, reference);
    read.controls.add(changed);
    Source sent = send.inputs.set(0, new Source(read, 0));
    if (!sent.equals(reference)) {
      read.controls.add(sent.node()); // keeps the control inputs of the Identity
    }
    added.add(changed);
    added.add(read);
  }

  /** All nodes that produce or consume the reference that {@code start} produces, transitively. */
  private Set<StepNode> referenceChain(StepNode start) {
    Set<StepNode> found = new LinkedHashSet<>(List.of(start));
    Deque<StepNode> work = new ArrayDeque<>(found);
    while (!work.isEmpty()) {
      StepNode node = work.remove();
      List<StepNode> next = new ArrayList<>(referencedBy(node));
      next.addAll(users.getOrDefault(node, List.of()));
      next.stream().filter(found::add).forEach(work::add);
    }
    return found;
  }

  private static StepNode trigger(String name, StepNode at) {
    NodeDef definition = NodeDef.newBuilder().setOp("ControlTrigger").build();
    return new StepNode(name, definition, at.device, List.of());
  }

  private static StepNode identity(String name, Source source) {
    StepNode at = source.node();
    StepNode identity = StepNode.identity(name, at.device, at.outputTypes.get(source.output()));
    identity.inputs.add(source);
    return identity;
  }
}

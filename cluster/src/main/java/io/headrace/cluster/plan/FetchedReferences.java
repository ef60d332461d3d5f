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
 * Lets what a step fetches of a variable of TensorFlow 1 be what the step leaves in it.
 *
 * <p>TensorFlow's kernels change such a variable in place, and what is fetched shares its memory,
 * also where an Identity is between: whoever runs a training op and fetches the global step gets
 * the new one, though no edge says so. Here tensors never change, so the variable is read again for
 * its fetch, at its own device, when all nodes of the step have run that take a reference to it.
 * They are waited for by a ControlTrigger, which also runs where they are in a branch that was not
 * taken; nodes in loops are not waited for, as nothing outside can be.
 */
final class FetchedReferences {
  private final FlowGraph graph;
  private final Collection<StepNode> nodes;
  private final LoopFrames frames;
  private final Map<StepNode, List<StepNode>> users = new HashMap<>();

  private FetchedReferences(FlowGraph graph, Collection<StepNode> nodes) {
    this.graph = graph;
    this.nodes = nodes;
    this.frames = new LoopFrames(List.copyOf(nodes));
  }

  /**
   * Lets each of {@code sends} whose input is a reference, or an Identity of one at its device,
   * send what the reference stands for at last.
   *
   * @param graph the session's, which says which inputs and outputs are references
   * @param nodes the step's, with their inputs
   * @return the nodes to be added
   */
  static List<StepNode> readLast(
      FlowGraph graph, Collection<StepNode> nodes, List<StepNode> sends) {
    Map<StepNode, Source> references = new LinkedHashMap<>();
    for (StepNode send : sends) {
      Source read = readBy(send);
      Node node = node(graph, read.node());
      if (node != null && node.isRefOutput(read.output())) {
        references.put(send, read);
      }
    }
    if (references.isEmpty()) {
      return List.of();
    }
    FetchedReferences fetched = new FetchedReferences(graph, nodes);
    fetched.findUsers();
    List<StepNode> added = new ArrayList<>();
    references.forEach((send, reference) -> fetched.readLast(send, reference, added));
    return added;
  }

  /** What {@code send} sends, as it is before Identity nodes of its device. */
  private static Source readBy(StepNode send) {
    Source source = send.inputs.getFirst();
    while (source.node().definition.getOp().equals("Identity")
        && source.node().device.equals(source.node().inputs.getFirst().node().device)) {
      source = source.node().inputs.getFirst();
    }
    return source;
  }

  /** The node of the session's graph; null for one that was made for the step. */
  private static @Nullable Node node(FlowGraph graph, StepNode node) {
    Integer index = graph.find(node.name);
    return index == null ? null : graph.nodes().get(index);
  }

  private void findUsers() {
    for (StepNode user : nodes) {
      for (StepNode source : referred(user)) {
        users.computeIfAbsent(source, _ -> new ArrayList<>()).add(user);
      }
    }
  }

  /** The nodes that {@code user} takes references from. */
  private List<StepNode> referred(StepNode user) {
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
        related(reference.node()).stream()
            .filter(node -> node != reference.node() && !referred(node).isEmpty())
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
      read.controls.add(sent.node()); // and what that waits for
    }
    added.add(changed);
    added.add(read);
  }

  /** All nodes that give or take a reference to what {@code start} does. */
  private Set<StepNode> related(StepNode start) {
    Set<StepNode> found = new LinkedHashSet<>(List.of(start));
    Deque<StepNode> work = new ArrayDeque<>(found);
    while (!work.isEmpty()) {
      StepNode node = work.remove();
      List<StepNode> next = new ArrayList<>(referred(node));
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

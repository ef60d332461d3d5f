package io.headrace.cluster.plan;

import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.cluster.plan.StepNode.Source;
import io.headrace.cluster.plan.StepNode.Transfer;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The session's graph pruned to the nodes that a signature needs, with a _Recv in place of each
 * feed and a _Send for each fetch.
 */
public final class StepGraph {
  /** The client's ends of a step, feeds or fetches: rendezvous keys and dtypes by tensor name. */
  public record Ends(Map<String, String> keys, Map<String, DataType> types) {}

  /** NextIteration, and RefNextIteration. */
  private static final String NEXT = "NextIteration";

  private final SessionGraph session;
  private final StepSignature signature;
  private final ClusterDevice client;
  private final Map<Integer, StepNode> nodes = new LinkedHashMap<>();
  private final Deque<Integer> work = new ArrayDeque<>();
  private final Map<Endpoint, StepNode> fed = new LinkedHashMap<>();
  private final Map<Endpoint, Endpoint> connected = new LinkedHashMap<>();
  private final List<StepNode> sends = new ArrayList<>();
  private final List<StepNode> reads = new ArrayList<>();
  private final Ends feeds = new Ends(new TreeMap<>(), new TreeMap<>());
  private final Ends fetches = new Ends(new TreeMap<>(), new TreeMap<>());

  private StepGraph(SessionGraph session, StepSignature signature, ClusterDevice client) {
    this.session = session;
    this.signature = signature;
    this.client = client;
  }

  /**
   * Builds the graph of a signature.
   *
   * @throws StatusException NOT_FOUND or INVALID_ARGUMENT for a tensor or node that the session's
   *     graph lacks
   */
  public static StepGraph build(
      SessionGraph session, StepSignature signature, ClusterDevice client) {
    StepGraph graph = new StepGraph(session, signature, client);
    graph.build();
    return graph;
  }

  private void build() {
    for (String feed : signature.feeds()) {
      Endpoint endpoint = find(feed, "FeedInputs: unable to find feed output ", "FeedInputs: ");
      fed.put(endpoint, receive(feed, endpoint));
    }
    signature
        .connections()
        .forEach((to, from) ->
            connected.put(
                find(to, "FeedInputs: unable to find feed output ", "FeedInputs: "),
                find(from, "FeedInputs: unable to find feed output ", "FeedInputs: ")));
    connected.forEach(this::checkConnection);
    Map<String, Endpoint> fetched = new LinkedHashMap<>();
    for (String fetch : signature.fetches()) {
      fetched.put(fetch, fetched(fetch));
    }
    List<Integer> targets = targets();
    fetched.forEach((fetch, endpoint) -> {
      need(connected(endpoint));
      needWhole(fetch, endpoint);
    });
    targets.forEach(this::need);
    while (!work.isEmpty()) {
      connect(work.remove());
    }
    fetched.forEach(this::send);
    if (!signature.isPartial()) { // the end of a partial run is unknown
      reads.addAll(FetchedRefVariables.readLast(session.graph(), nodes(), sends));
    }
  }

  /** Fails if {@code from}, the replacement of {@code to}, would depend on itself. */
  private void checkConnection(Endpoint to, Endpoint from) {
    Set<Integer> seen = new HashSet<>();
    Deque<Integer> open = new ArrayDeque<>();
    open.add(from.node());
    while (!open.isEmpty()) {
      for (int dependency : dependencies(open.remove())) {
        if (dependency == from.node()) {
          throw StatusException.invalidArgument(
              "Requested Tensor connection between nodes \"%s\" and \"%s\" would create a cycle.",
              session.graph().nodes().get(to.node()).name(),
              session.graph().nodes().get(from.node()).name());
        }
        if (seen.add(dependency)) {
          open.add(dependency);
        }
      }
    }
  }

  /**
   * The nodes that a node depends on, without feeds, which are available, and without NextIteration
   * nodes, since an iteration does not depend on later ones.
   */
  private List<Integer> dependencies(int index) {
    List<Node> all = session.graph().nodes();
    List<Integer> dependencies = new ArrayList<>(all.get(index).controlInputs());
    for (Endpoint input : all.get(index).inputs()) {
      Endpoint source = connected(input);
      if (!fed.containsKey(source) && !all.get(source.node()).op().name().endsWith(NEXT)) {
        dependencies.add(source.node());
      }
    }
    return dependencies;
  }

  private StepNode receive(String name, Endpoint endpoint) {
    DataType dtype = type(endpoint);
    Transfer transfer = new Transfer(name, client, client, true);
    feeds.keys().put(name, transfer.key());
    feeds.types().put(name, dtype);
    return StepNode.receive(endName("_recv_", name), dtype, transfer);
  }

  private void send(String name, Endpoint endpoint) {
    Transfer transfer = new Transfer(name, client, client, true);
    fetches.keys().put(name, transfer.key());
    fetches.types().put(name, type(endpoint));
    sends.add(StepNode.send(endName("_send_", name), source(endpoint), transfer));
  }

  private static String endName(String prefix, String name) {
    TensorName tensor = TensorName.parse(name);
    return prefix + tensor.node() + "_" + tensor.output();
  }

  private DataType type(Endpoint endpoint) {
    return session.graph().nodes().get(endpoint.node()).outputTypes().get(endpoint.output());
  }

  /** A fetch of an output of a lowered node also runs the NoOp that replaces the node. */
  private void needWhole(String fetch, Endpoint endpoint) {
    TensorName named = TensorName.parse(fetch);
    Integer index = session.graph().find(named.node());
    if (index != null
        && !session.source(named).equals(named)
        && !fed.containsKey(connected(endpoint))) {
      need(index);
    }
  }

  private Endpoint find(String name, String notFound, String tooLarge) {
    TensorName tensor = session.source(TensorName.parse(name));
    Integer index = session.graph().find(tensor.node());
    if (index == null) {
      throw new StatusException(StatusCode.NOT_FOUND, notFound + name);
    }
    int outputs = session.graph().nodes().get(index).outputTypes().size();
    if (tensor.output() >= outputs) {
      throw StatusException.invalidArgument(
          "%s%s should have output index < %d", tooLarge, name, outputs);
    }
    return new Endpoint(index, tensor.output());
  }

  private Endpoint fetched(String name) {
    TensorName tensor = session.source(TensorName.parse(name));
    Integer index = session.graph().find(tensor.node());
    if (index == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "FetchOutputs node %s: not found", name);
    }
    int outputs = session.graph().nodes().get(index).outputTypes().size();
    if (outputs == 0) {
      throw StatusException.invalidArgument(
          "Tried to fetch data for '%s', which produces no output. To run to a node but not fetch"
              + " any data, pass '%s' as an argument to the 'target_node_names' argument of the"
              + " Session::Run API.",
          name, tensor.node());
    }
    if (tensor.output() >= outputs) {
      throw StatusException.invalidArgument(
          "FetchOutputs %s: output index too large, must be < %d", name, outputs);
    }
    return new Endpoint(index, tensor.output());
  }

  private List<Integer> targets() {
    List<Integer> found = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String target : signature.targets()) {
      Integer index = session.graph().find(target);
      if (index == null) {
        missing.add(target);
      } else {
        found.add(index);
      }
    }
    if (!missing.isEmpty()) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "PruneForTargets: Some target nodes not found: %s ",
          String.join(" ", missing));
    }
    return found;
  }

  /** The source of a tensor after tensor connections. */
  private Endpoint connected(Endpoint endpoint) {
    Endpoint at = endpoint;
    for (int i = 0; connected.containsKey(at); i++) {
      if (i > connected.size()) {
        throw StatusException.invalidArgument(
            "the tensor connections form a cycle: %s", signature.connections());
      }
      at = connected.getOrDefault(at, at);
    }
    return at;
  }

  private void need(Endpoint endpoint) {
    if (!fed.containsKey(endpoint)) {
      need(endpoint.node());
    }
  }

  private void need(int index) {
    if (!nodes.containsKey(index)) {
      Node node = session.graph().nodes().get(index);
      nodes.put(
          index,
          new StepNode(
              node.name(),
              session.graph().definition(index),
              session.devices().get(index),
              node.outputTypes()));
      work.add(index);
    }
  }

  private void connect(int index) {
    Node node = session.graph().nodes().get(index);
    StepNode step = step(index);
    for (Endpoint input : node.inputs()) {
      Endpoint from = connected(input);
      need(from);
      step.inputs.add(source(from));
    }
    for (int control : node.controlInputs()) {
      // A fed placeholder does not run; a control edge from it is satisfied by its feed.
      StepNode received = fed.get(new Endpoint(control, 0));
      boolean isPlaceholder =
          session.graph().nodes().get(control).op().name().startsWith("Placeholder");
      if (received != null && isPlaceholder) {
        step.controls.add(received);
      } else {
        need(control);
        step.controls.add(step(control));
      }
    }
  }

  private StepNode step(int index) {
    StepNode node = nodes.get(index);
    if (node == null) {
      throw new IllegalStateException("node " + index + " is not needed");
    }
    return node;
  }

  private Source source(Endpoint endpoint) {
    Endpoint from = connected(endpoint);
    StepNode received = fed.get(from);
    return received == null
        ? new Source(step(from.node()), from.output())
        : new Source(received, 0);
  }

  /** All nodes. Feeds are received even without a consumer, lest they stay in the rendezvous. */
  public List<StepNode> nodes() {
    List<StepNode> all = new ArrayList<>(fed.values());
    all.addAll(nodes.values());
    all.addAll(reads);
    all.addAll(sends);
    return all;
  }

  public Ends feeds() {
    return feeds;
  }

  public Ends fetches() {
    return fetches;
  }
}

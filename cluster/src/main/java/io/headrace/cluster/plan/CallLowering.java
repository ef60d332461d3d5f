package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.GraphReader;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Puts the nodes of a function in the place of its call: those that a call would run.
 *
 * <p>What the call waits for its nodes wait for, and whoever takes a result waits for all that the
 * function does, as of a call. Nodes with effects wait for all inputs of the call, those that take
 * nothing for the first: so they run in each iteration of a loop that the call is in, and not in a
 * branch that is not taken. Unlike in a call the others may run before all inputs are there.
 */
final class CallLowering {
  private final LoweredNode call;
  private final PrunedGraph body;
  private final Collection<String> alsoRun;
  private final List<String> arguments;
  private final String[] names;
  private final Map<String, String> renamed = new HashMap<>();
  private @Nullable String start;
  private @Nullable String ready;

  private CallLowering(LoweredNode call, PrunedGraph body, Collection<String> alsoRun) {
    this.call = call;
    this.body = body;
    this.alsoRun = alsoRun;
    this.arguments = call.inputs();
    this.names = new String[body.nodes().size()];
  }

  /**
   * Lowers {@code call}.
   *
   * @throws StatusException INVALID_ARGUMENT or UNIMPLEMENTED naming the node of {@code function}
   *     that is malformed or has an op that there is not
   */
  static void lower(LoweredNode call, FunctionDef function, OpRegistry ops) {
    String name = function.getSignature().getName();
    PrunedGraph body;
    try {
      body = GraphReader.read(function, ops);
    } catch (StatusException e) {
      throw e.in("function " + name);
    }
    if (!body.argumentTypes().equals(call.node().inputTypes())
        || !body.resultTypes().equals(call.node().outputTypes())) {
      throw StatusException.invalidArgument(
          "node %s calls function %s with %s -> %s, which is %s -> %s",
          call.node().name(),
          name,
          call.node().inputTypes(),
          call.node().outputTypes(),
          body.argumentTypes(),
          body.resultTypes());
    }
    new CallLowering(call, body, GraphReader.alsoRun(function, ops)).lower();
  }

  private void lower() {
    start = start();
    for (int i = 0; i < names.length; i++) {
      Node node = body.nodes().get(i);
      names[i] =
          isArgument(node)
              ? LoweredNode.nodeOf(arguments.get(index(node)))
              : call.name(node.name());
      renamed.put(node.name(), names[i]);
    }
    for (int i = 0; i < names.length; i++) {
      if (!isArgument(body.nodes().get(i))) {
        copy(i);
      }
    }
    List<String> effects = new ArrayList<>();
    alsoRun.forEach(node -> effects.add(renamed.getOrDefault(node, node)));
    if (effects.size() > 1) {
      String all = call.add(call.op("effects", "NoOp"), effects);
      effects.clear();
      effects.add(all);
    }
    Set<String> ends = new LinkedHashSet<>(effects);
    for (int i = 0; i < body.results().size(); i++) {
      Endpoint result = body.results().get(i);
      String passed = call.passOn("output", source(result), body.typeOf(result), effects);
      call.output(i, passed);
      ends.add(passed);
    }
    if (ends.isEmpty() && start != null) {
      ends.add(start);
    }
    call.end(ends);
  }

  private static boolean isArgument(Node node) {
    return node.op().equals(PrunedGraph.ARGUMENT);
  }

  private static int index(Node argument) {
    return (int) argument.attrs().integer("index");
  }

  /** What runs when the call would, as far as that can be known by its first input. */
  private @Nullable String start() {
    if (!arguments.isEmpty()) {
      return awaited(tensors().findFirst().orElse(0));
    }
    return call.controls().isEmpty() ? null : call.add(call.op("start", "NoOp"), call.controls());
  }

  private IntStream tensors() {
    return IntStream.range(0, arguments.size())
        .filter(i -> body.argumentTypes().get(i) != DataType.RESOURCE);
  }

  /** What runs when the call would. */
  private @Nullable String ready() {
    if (ready == null) {
      List<String> others = tensors().skip(1).mapToObj(this::awaited).toList();
      ready = start;
      if (start != null && !others.isEmpty()) {
        List<String> all = new ArrayList<>(others);
        all.addFirst(start);
        ready = call.add(call.op("ready", "NoOp"), all);
      }
    }
    return ready;
  }

  /** A node that has run when an argument is there, and what the call waits for. */
  private String awaited(int argument) {
    return call.passOn(
        "argument", arguments.get(argument), body.argumentTypes().get(argument), call.controls());
  }

  private String source(Endpoint endpoint) {
    Node node = body.nodes().get(endpoint.node());
    return isArgument(node)
        ? arguments.get(index(node))
        : names[endpoint.node()] + ":" + endpoint.output();
  }

  private void copy(int index) {
    Node node = body.nodes().get(index);
    NodeDef.Builder copy =
        NodeDef.newBuilder()
            .setName(names[index])
            .setOp(node.op().name())
            .putAllAttr(node.attrs().values())
            .setDevice(device(node));
    if (node.attrs().values().containsKey(ColocationGroups.COLOCATION)) {
      copy.putAttr(ColocationGroups.COLOCATION, LoweredNode.colocation(groups(node)));
    }
    node.inputs().forEach(input -> copy.addInput(source(input)));
    Set<String> controls = new LinkedHashSet<>();
    for (int control : node.controlInputs()) {
      Node source = body.nodes().get(control);
      controls.add(isArgument(source) ? awaited(index(source)) : names[control]);
    }
    String before = before(node);
    if (before != null) {
      controls.add(before);
    }
    var _ = call.add(copy, controls);
  }

  private String device(Node node) {
    return DeviceSpec.parse(node.device()).over(DeviceSpec.parse(call.node().device())).toString();
  }

  private List<String> groups(Node node) {
    return ColocationGroups.groupsOf(node).stream()
        .map(group -> renamed.getOrDefault(group, call.node().name() + "/" + group))
        .toList();
  }

  /** What {@code node} waits for beside what it takes. */
  private @Nullable String before(Node node) {
    if (GraphReader.isStateful(node.op())) {
      return ready();
    }
    boolean takesNothing = node.inputs().isEmpty() && node.controlInputs().isEmpty();
    boolean takesArgument =
        node.inputs().stream().anyMatch(input -> isArgument(body.nodes().get(input.node())));
    return takesNothing || (takesArgument && !call.controls().isEmpty()) ? start : null;
  }
}

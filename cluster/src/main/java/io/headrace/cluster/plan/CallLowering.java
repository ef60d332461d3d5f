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
 * Replaces a call by the nodes of its function: those that the call would run.
 *
 * <p>The nodes wait for the control inputs of the call, and consumers of a result wait for all side
 * effects of the function, as they do for a call. Stateful nodes wait for all inputs of the call,
 * nodes without inputs for the first one: they run in each iteration of the loop around the call,
 * and not in a branch that is not taken. Unlike in a call, the other nodes may run before all
 * inputs are available.
 *
 * <p>A while loop of TensorFlow 1 in the function gets a frame of its own. Its Enter nodes wait as
 * stateful nodes do, and the nodes in the frame for nothing outside of it.
 */
final class CallLowering {
  private final LoweredNodeBuilder call;
  private final PrunedGraph body;
  private final Set<String> alsoRun;
  private final List<String> arguments;
  private final String[] names;
  private final Map<String, String> renamed = new HashMap<>();
  private final BodyLoops loops;

  private @Nullable String start;
  private @Nullable String ready;

  private CallLowering(LoweredNodeBuilder call, PrunedGraph body, Collection<String> alsoRun) {
    this.call = call;
    this.body = body;
    this.alsoRun = Set.copyOf(alsoRun);
    this.arguments = call.inputs();
    this.names = new String[body.nodes().size()];
    this.loops = new BodyLoops(body);
  }

  /**
   * Lowers {@code call}.
   *
   * @throws StatusException INVALID_ARGUMENT or UNIMPLEMENTED naming the node of {@code function}
   *     that is malformed or has an unregistered op
   */
  static void lower(LoweredNodeBuilder call, FunctionDef function, OpRegistry ops) {
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
              ? LoweredNodeBuilder.nodeOf(arguments.get(index(node)))
              : call.name(node.name());
      renamed.put(node.name(), names[i]);
    }
    for (int i = 0; i < names.length; i++) {
      if (!isArgument(body.nodes().get(i))) {
        copy(i);
      }
    }
    List<String> effects = effects();
    Set<String> ends = new LinkedHashSet<>(effects);
    for (int i = 0; i < body.results().size(); i++) {
      Endpoint result = body.results().get(i);
      String passed = call.passOn("output", source(result), body.typeOf(result), effects);
      call.output(i, passed);
      ends.add(passed);
    }
    if (start != null && (ends.isEmpty() || loops.hasControlFlow())) {
      ends.add(start);
    }
    call.end(ends);
  }

  /** The node that runs when all side effects are done, if there are any. */
  private List<String> effects() {
    Set<String> effects = new LinkedHashSet<>();
    for (int i = 0; i < names.length; i++) {
      if (alsoRun.contains(body.nodes().get(i).name())) {
        List<Integer> last = loops.isInside(i) ? loops.ends() : List.of(i);
        last.forEach(node -> effects.add(names[node]));
      }
    }
    if (effects.isEmpty() || (effects.size() == 1 && !loops.hasControlFlow())) {
      return List.copyOf(effects);
    }
    // A ControlTrigger does not mind effects in branches that are not taken.
    String all = loops.hasControlFlow() ? "ControlTrigger" : "NoOp";
    return List.of(call.add(call.op("effects", all), effects));
  }

  private static boolean isArgument(Node node) {
    return node.op().equals(PrunedGraph.ARGUMENT);
  }

  private static int index(Node argument) {
    return (int) argument.attrs().integer("index");
  }

  /**
   * A node that runs when the first input and the control inputs of the call are available; null if
   * it has neither.
   */
  private @Nullable String start() {
    if (!arguments.isEmpty()) {
      return argumentReady(tensors().findFirst().orElse(0));
    }
    return call.controls().isEmpty() ? null : call.add(call.op("start", "NoOp"), call.controls());
  }

  private IntStream tensors() {
    return IntStream.range(0, arguments.size())
        .filter(i -> body.argumentTypes().get(i) != DataType.RESOURCE);
  }

  /** A node that runs when all tensor inputs and the control inputs of the call are available. */
  private @Nullable String ready() {
    if (ready == null) {
      List<String> others = tensors().skip(1).mapToObj(this::argumentReady).toList();
      ready = start;
      if (start != null && !others.isEmpty()) {
        List<String> all = new ArrayList<>(others);
        all.addFirst(start);
        ready = call.add(call.op("ready", "NoOp"), all);
      }
    }
    return ready;
  }

  /** A node that runs when an argument and the control inputs of the call are available. */
  private String argumentReady(int argument) {
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
      copy.putAttr(ColocationGroups.COLOCATION, LoweredNodeBuilder.colocation(groups(node)));
    }
    loops.rename(node, copy, call::name);
    node.inputs().forEach(input -> copy.addInput(source(input)));
    Set<String> controls = new LinkedHashSet<>();
    for (int control : node.controlInputs()) {
      Node source = body.nodes().get(control);
      controls.add(isArgument(source) ? argumentReady(index(source)) : names[control]);
    }
    String extraControl = loops.isInside(index) ? null : extraControl(node);
    if (extraControl != null) {
      controls.add(extraControl);
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

  /** The control input that {@code node} needs beside its own inputs; null if none. */
  private @Nullable String extraControl(Node node) {
    if (GraphReader.isStateful(node.op()) || BodyLoops.isEnter(node)) {
      return ready();
    }
    boolean hasNoInputs = node.inputs().isEmpty() && node.controlInputs().isEmpty();
    boolean takesArgument =
        node.inputs().stream().anyMatch(input -> isArgument(body.nodes().get(input.node())));
    return hasNoInputs || (takesArgument && !call.controls().isEmpty()) ? start : null;
  }
}

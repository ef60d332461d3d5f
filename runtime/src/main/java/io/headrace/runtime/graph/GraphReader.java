package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the part of a GraphDef or FunctionDef on which the results depend.
 *
 * <p>Malformed input fails with an error that names the node: INVALID_ARGUMENT for a missing input,
 * a cycle, a wrong dtype or number of inputs; UNIMPLEMENTED for an unsupported op.
 */
public final class GraphReader {
  private static final int UNSEEN = -1;
  private static final int OPEN = -2;

  /** The input of a Merge whose source, a NextIteration, has not been read. */
  private static final Endpoint PENDING = new Endpoint(UNSEEN, 0);

  private static final Set<String> LOOP_STARTS = Set.of("Merge", "RefMerge");
  private static final Set<String> LOOP_ENDS = Set.of("NextIteration", "RefNextIteration");

  /**
   * Ops that TensorFlow declares stateful, and that are stateful here only if their functions are.
   */
  private static final Set<String> STATEFUL_BY_CALL =
      Set.of("StatefulPartitionedCall", "If", "While", "Case");

  private final OpRegistry registry;
  private final boolean inFunction;
  private final Map<String, NodeDef> definitions = new HashMap<>();
  private final Map<String, Integer> indices = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Deque<BackEdge> backEdges = new ArrayDeque<>();

  /** Input {@code slot} of the Merge {@code node}, which {@code source}, a NextIteration, feeds. */
  private record BackEdge(int node, int slot, String source) {}

  private GraphReader(OpRegistry registry, boolean inFunction, Iterable<NodeDef> nodeDefs) {
    this.registry = registry;
    this.inFunction = inFunction;
    for (NodeDef node : nodeDefs) {
      if (definitions.put(node.getName(), node) != null) {
        throw StatusException.invalidArgument("two nodes are called %s", node.getName());
      }
    }
  }

  /** Reads the nodes that {@code results} ({@code node} or {@code node:output}) depend on. */
  public static PrunedGraph read(GraphDef graph, List<String> results, OpRegistry registry) {
    GraphReader reader = new GraphReader(registry, false, graph.getNodeList());
    List<Endpoint> endpoints = new ArrayList<>();
    for (String result : results) {
      endpoints.add(reader.endpoint(result, "the results"));
    }
    reader.closeLoops();
    return new PrunedGraph(reader.nodes, List.of(), endpoints, List.of());
  }

  /**
   * Reads a function: the nodes of its results first, then the nodes that run for their effects.
   */
  public static PrunedGraph read(FunctionDef function, OpRegistry registry) {
    OpDef signature = function.getSignature();
    List<NodeDef> all = new ArrayList<>();
    List<DataType> argumentTypes = new ArrayList<>();
    for (int i = 0; i < signature.getInputArgCount(); i++) {
      OpDef.ArgDef arg = signature.getInputArg(i);
      argumentTypes.add(DataType.ofNumber(arg.getTypeValue()));
      all.add(argument(arg, i));
    }
    all.addAll(function.getNodeDefList());
    GraphReader reader = new GraphReader(registry, true, all);
    List<Endpoint> endpoints = new ArrayList<>();
    for (OpDef.ArgDef out : signature.getOutputArgList()) {
      String ret = function.getRetMap().get(out.getName());
      if (ret == null) {
        throw StatusException.invalidArgument(
            "function %s returns nothing for its output %s", signature.getName(), out.getName());
      }
      endpoints.add(reader.endpoint(ret, signature.getName()));
    }
    alsoRun(function, registry).forEach(node -> reader.visit(node, signature.getName()));
    reader.closeLoops();
    List<Integer> arguments = new ArrayList<>();
    for (OpDef.ArgDef arg : signature.getInputArgList()) {
      arguments.add(reader.indices.getOrDefault(arg.getName(), PrunedGraph.UNUSED));
    }
    return new PrunedGraph(reader.nodes, arguments, endpoints, argumentTypes);
  }

  /**
   * The names of the nodes that a call of {@code function} runs for their effects: its control
   * outputs, or, without any, as in functions of TensorFlow 1, all stateful nodes.
   */
  public static Collection<String> alsoRun(FunctionDef function, OpRegistry registry) {
    return function.getControlRetCount() > 0
        ? function.getControlRetMap().values()
        : function.getNodeDefList().stream()
            .filter(node -> isStateful(registry.find(node.getOp())))
            .map(NodeDef::getName)
            .toList();
  }

  /** Whether TensorFlow declares {@code op} stateful, including ops that call functions. */
  public static boolean isStateful(@Nullable Op op) {
    return op != null && (op.isStateful() || STATEFUL_BY_CALL.contains(op.name()));
  }

  private static NodeDef argument(OpDef.ArgDef arg, int index) {
    return NodeDef.newBuilder()
        .setName(arg.getName())
        .setOp(PrunedGraph.ARGUMENT.name())
        .putAttr("T", AttrValue.newBuilder().setTypeValue(arg.getTypeValue()).build())
        .putAttr("index", AttrValue.newBuilder().setI(index).build())
        .build();
  }

  private Endpoint endpoint(String text, String user) {
    String nodeName = nodeName(text);
    int index = visit(nodeName, user);
    Node node = nodes.get(index);
    int output = output(text, node);
    if (output < 0 || output >= node.outputTypes().size()) {
      throw StatusException.invalidArgument(
          "%s takes %s, and node %s (op %s) has %d outputs",
          user, text, nodeName, node.op().name(), node.outputTypes().size());
    }
    return new Endpoint(index, output);
  }

  private static String nodeName(String text) {
    int from = text.startsWith("^") ? 1 : 0;
    int colon = text.indexOf(':');
    return colon < 0 ? text.substring(from) : text.substring(from, colon);
  }

  private int output(String text, Node node) {
    String[] parts = text.split(":", -1);
    if (parts.length == 1) {
      return 0;
    }
    int index = parseIndex(parts[parts.length - 1], text);
    if (!inFunction || parts.length == 2) {
      return index;
    }
    int first = PrunedGraph.firstOutput(node.op(), node.attrs(), parts[1]);
    return first < 0 ? -1 : first + index;
  }

  private static int parseIndex(String digits, String text) {
    if (digits.isEmpty() || digits.length() > 9 || !digits.chars().allMatch(Character::isDigit)) {
      throw StatusException.invalidArgument("%s names no output of a node", text);
    }
    return Integer.parseInt(digits);
  }

  /** A node on the depth-first path: inputs before {@code next} have been read. */
  private static final class PathEntry {
    final NodeDef definition;
    int next;

    PathEntry(NodeDef definition) {
      this.definition = definition;
    }
  }

  /** Adds the node and its dependencies, without recursion, since graphs may be very deep. */
  private int visit(String root, String user) {
    Deque<PathEntry> path = new ArrayDeque<>();
    open(root, user, path);
    while (!path.isEmpty()) {
      PathEntry entry = path.element();
      if (entry.next < entry.definition.getInputCount()) {
        String input = entry.definition.getInput(entry.next++);
        if (!isBackEdge(entry.definition, input)) {
          open(nodeName(input), entry.definition.getName(), path);
        }
      } else {
        indices.put(entry.definition.getName(), add(entry.definition));
        path.pop();
      }
    }
    return indices.getOrDefault(root, UNSEEN);
  }

  private void open(String name, String user, Deque<PathEntry> path) {
    int state = indices.getOrDefault(name, UNSEEN);
    if (state == OPEN) {
      throw StatusException.invalidArgument(
          "node %s depends on itself through its input %s", user, name);
    }
    if (state == UNSEEN) {
      path.push(new PathEntry(definition(name, user)));
      indices.put(name, OPEN);
    }
  }

  /** Whether {@code input} closes a loop of TensorFlow 1: it leads from NextIteration to Merge. */
  private boolean isBackEdge(NodeDef user, String input) {
    NodeDef source = definitions.get(nodeName(input));
    return source != null
        && !input.startsWith("^")
        && LOOP_STARTS.contains(user.getOp())
        && LOOP_ENDS.contains(source.getOp());
  }

  /** Reads the bodies of loops, and connects their ends to their starts. */
  private void closeLoops() {
    for (BackEdge edge = backEdges.poll(); edge != null; edge = backEdges.poll()) {
      Node start = nodes.get(edge.node());
      List<Endpoint> inputs = new ArrayList<>(start.inputs());
      inputs.set(edge.slot(), endpoint(edge.source(), start.name()));
      Node closed =
          new Node(
              start.name(),
              start.op(),
              start.attrs(),
              List.copyOf(inputs),
              start.controlInputs(),
              start.inputTypes(),
              start.outputTypes(),
              start.device());
      checkInput(closed, edge.slot());
      nodes.set(edge.node(), closed);
    }
  }

  private NodeDef definition(String name, String user) {
    NodeDef definition = definitions.get(name);
    if (definition == null) {
      throw StatusException.invalidArgument(
          "%s takes input from %s, which does not exist", user, name);
    }
    return definition;
  }

  private int add(NodeDef definition) {
    Op op = findOp(definition);
    Attrs attrs = new Attrs(definition.getName(), op, definition.getAttrMap());
    List<Endpoint> inputs = new ArrayList<>();
    List<Integer> controls = new ArrayList<>();
    for (String input : definition.getInputList()) {
      if (input.startsWith("^")) {
        controls.add(indices.get(nodeName(input)));
      } else if (isBackEdge(definition, input)) {
        backEdges.add(new BackEdge(nodes.size(), inputs.size(), input));
        inputs.add(PENDING);
      } else {
        inputs.add(endpoint(input, definition.getName()));
      }
    }
    Node node =
        new Node(
            definition.getName(),
            op,
            attrs,
            List.copyOf(inputs),
            List.copyOf(controls),
            types(op.inputs(), attrs),
            types(op.outputs(), attrs),
            definition.getDevice());
    checkInputs(node);
    nodes.add(node);
    return nodes.size() - 1;
  }

  private Op findOp(NodeDef definition) {
    if (inFunction && definition.getOp().equals(PrunedGraph.ARGUMENT.name())) {
      return PrunedGraph.ARGUMENT;
    }
    Op op = registry.find(definition.getOp());
    if (op == null) {
      throw UnsupportedOps.unsupported(definition);
    }
    return op;
  }

  /** The dtypes of the tensors of {@code args}. */
  public static List<DataType> types(List<ArgSpec> args, Attrs attrs) {
    List<DataType> result = new ArrayList<>();
    for (ArgSpec arg : args) {
      int count = arg.count(attrs);
      for (int i = 0; i < count; i++) {
        result.add(arg.typeAt(attrs, i));
      }
    }
    return List.copyOf(result);
  }

  private void checkInputs(Node node) {
    if (node.inputs().size() != node.inputTypes().size()) {
      throw StatusException.invalidArgument(
          "node %s (op %s) has %d inputs and must have %d",
          node.name(), node.op().name(), node.inputs().size(), node.inputTypes().size());
    }
    for (int i = 0; i < node.inputs().size(); i++) {
      if (!node.inputs().get(i).equals(PENDING)) {
        checkInput(node, i);
      }
    }
  }

  private void checkInput(Node node, int index) {
    Endpoint input = node.inputs().get(index);
    Node from = nodes.get(input.node());
    DataType actual = from.outputTypes().get(input.output());
    DataType declared = node.inputTypes().get(index);
    if (actual != declared) {
      throw StatusException.invalidArgument(
          "input %d of node %s (op %s) is %s and must be %s",
          index, node.name(), node.op().name(), actual.tfName(), declared.tfName());
    }
    if (node.isRefInput(index) && !from.isRefOutput(input.output())) {
      throw StatusException.invalidArgument(
          "Input %d of node %s was passed %s from %s:%d incompatible with expected %s_ref.",
          index, node.name(), actual.tfName(), from.name(), input.output(), declared.tfName());
    }
  }
}

package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.gradient.Gradients;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.GraphReader;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.PrunedGraph;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The gradient of a function, as a graph. Its arguments are those of the function, then a gradient
 * per result. The graph recomputes the function, with its calls inlined, and appends the backward
 * pass.
 */
final class FunctionGradient {
  private static final String ARGUMENT = "argument_";
  private static final String INNER = "f/";

  private final FunctionLibrary library;
  private final GraphDef.Builder flat = GraphDef.newBuilder();
  private final List<DataType> argumentTypes = new ArrayList<>();

  private FunctionGradient(FunctionLibrary library) {
    this.library = library;
  }

  /** The gradient graph of the function {@code name}. */
  static PrunedGraph of(String name, FunctionLibrary library) {
    try {
      return new FunctionGradient(library).derive(library.body(name));
    } catch (StatusException e) {
      throw e.in("the gradient of function " + name);
    }
  }

  private PrunedGraph derive(PrunedGraph body) {
    body.argumentTypes().forEach(this::addArgument);
    int given = argumentTypes.size();
    List<String> results = append(body, argumentNames(0, given), INNER);
    body.resultTypes().forEach(this::addArgument);
    List<String> names = new ArrayList<>(results);
    names.addAll(argumentNames(0, argumentTypes.size()));
    GraphBuilder graph = new GraphBuilder(library.registry());
    List<Output> imported = graph.importGraph(flat.build(), names);
    List<Output> arguments = imported.subList(results.size(), imported.size());
    List<Output> derived =
        derivatives(
            imported.subList(0, results.size()),
            arguments.subList(0, given),
            arguments.subList(given, arguments.size()));
    PrunedGraph read =
        GraphReader.read(
            graph.toGraphDef(), derived.stream().map(Output::name).toList(), library.registry());
    return withArguments(read);
  }

  private static List<Output> derivatives(
      List<Output> results, List<Output> arguments, List<Output> gradients) {
    List<Output> ys = new ArrayList<>();
    List<Output> by = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i).dtype().isDifferentiable()) {
        ys.add(results.get(i));
        by.add(gradients.get(i));
      }
    }
    List<Optional<Output>> found =
        ys.isEmpty()
            ? Collections.nCopies(arguments.size(), Optional.empty())
            : Gradients.of(ys, arguments, by);
    List<Output> derived = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      Output argument = arguments.get(i);
      derived.add(
          found.get(i).orElseGet(() -> argument.graph().op("ZerosLike").input(argument).build()));
    }
    return derived;
  }

  private void addArgument(DataType type) {
    flat.addNode(
        NodeDef.newBuilder()
            .setName(ARGUMENT + argumentTypes.size())
            .setOp("Placeholder")
            .putAttr("dtype", AttrValue.newBuilder().setTypeValue(type.number()).build()));
    argumentTypes.add(type);
  }

  private static List<String> argumentNames(int from, int to) {
    List<String> names = new ArrayList<>();
    for (int i = from; i < to; i++) {
      names.add(ARGUMENT + i + ":0");
    }
    return names;
  }

  /**
   * Appends the nodes of {@code body} with {@code given} as its arguments; returns the names of its
   * results.
   */
  private List<String> append(PrunedGraph body, List<String> given, String prefix) {
    List<List<String>> outputs = new ArrayList<>();
    List<List<String>> added = new ArrayList<>();
    for (Node node : body.nodes()) {
      int before = flat.getNodeCount();
      List<String> inputs = node.inputs().stream().map(input -> name(outputs, input)).toList();
      if (node.op() == PrunedGraph.ARGUMENT) {
        outputs.add(List.of(given.get((int) node.attrs().integer("index"))));
      } else if (node.op().isCall()) {
        PrunedGraph callee = library.body(node.attrs().function("f").name());
        outputs.add(append(callee, inputs, prefix + node.name() + "/"));
      } else {
        outputs.add(append(node, inputs, added, prefix));
      }
      added.add(
          flat.getNodeList().subList(before, flat.getNodeCount()).stream()
              .map(NodeDef::getName)
              .toList());
    }
    return body.results().stream().map(result -> name(outputs, result)).toList();
  }

  private static String name(List<List<String>> outputs, Endpoint endpoint) {
    return outputs.get(endpoint.node()).get(endpoint.output());
  }

  private List<String> append(
      Node node, List<String> inputs, List<List<String>> added, String prefix) {
    NodeDef.Builder definition =
        NodeDef.newBuilder()
            .setName(prefix + node.name())
            .setOp(node.op().name())
            .addAllInput(inputs)
            .putAllAttr(node.attrs().values());
    for (int control : node.controlInputs()) {
      added.get(control).forEach(name -> definition.addInput("^" + name));
    }
    flat.addNode(definition);
    List<String> outputs = new ArrayList<>();
    for (int i = 0; i < node.outputTypes().size(); i++) {
      outputs.add(prefix + node.name() + ":" + i);
    }
    return outputs;
  }

  /** {@code read} with its placeholders replaced by arguments. */
  private PrunedGraph withArguments(PrunedGraph read) {
    Map<String, Integer> indices = new HashMap<>();
    for (int i = 0; i < argumentTypes.size(); i++) {
      indices.put(ARGUMENT + i, i);
    }
    List<Node> nodes = new ArrayList<>();
    List<Integer> arguments =
        new ArrayList<>(Collections.nCopies(argumentTypes.size(), PrunedGraph.UNUSED));
    for (Node node : read.nodes()) {
      Integer index = indices.get(node.name());
      if (index != null) {
        arguments.set(index, nodes.size());
      }
      nodes.add(index == null ? node : argument(node, index));
    }
    return new PrunedGraph(nodes, arguments, read.results(), argumentTypes);
  }

  private static Node argument(Node placeholder, int index) {
    DataType type = placeholder.outputTypes().getFirst();
    Map<String, AttrValue> attrs =
        Map.of(
            "T", AttrValue.newBuilder().setTypeValue(type.number()).build(),
            "index", AttrValue.newBuilder().setI(index).build());
    return new Node(
        placeholder.name(),
        PrunedGraph.ARGUMENT,
        new Attrs(placeholder.name(), PrunedGraph.ARGUMENT, attrs),
        List.of(),
        List.of(),
        List.of(),
        List.of(type),
        "");
  }
}

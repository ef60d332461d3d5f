package io.headrace.dataset.plan;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nodes of a graph or of a function, as a {@link PipelinePlan} describes them. */
final class PlanScope {
  private static final Pattern DATASET = Pattern.compile("Dataset(V\\d+)?$");
  private static final Pattern WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

  /** The characters to which the text of a value is cut. */
  private static final int SHOWN = 48;

  /** Inputs that are the same in all datasets of the Java API, or of no interest to its users. */
  private static final Set<String> UNTOLD =
      Set.of(
          "buffer_output_elements",
          "prefetch_input_elements",
          "seed_generator",
          "cache",
          "iteration_counter",
          "max_outstanding_requests",
          "consumer_index",
          "num_consumers",
          "processing_mode",
          "protocol",
          "iterable",
          "record_defaults",
          "padding_values");

  private final String name;
  private final Map<String, NodeDef> nodes;
  private final Map<String, FunctionDef> library;
  private final Optional<String> result;
  private final OpRegistry registry;

  private PlanScope(
      String name,
      List<NodeDef> nodes,
      Map<String, FunctionDef> library,
      Optional<String> result,
      OpRegistry registry) {
    this.name = name;
    this.nodes = new LinkedHashMap<>();
    nodes.forEach(node -> this.nodes.put(node.getName(), node));
    this.library = library;
    this.result = result;
    this.registry = registry;
  }

  static PlanScope of(GraphDef graph, OpRegistry registry) {
    Map<String, FunctionDef> library =
        graph.getLibrary().getFunctionList().stream()
            .collect(
                Collectors.toMap(f -> f.getSignature().getName(), f -> f, (first, _) -> first));
    return new PlanScope("", graph.getNodeList(), library, Optional.empty(), registry);
  }

  /** The function's name; empty for the graph. */
  String name() {
    return name;
  }

  static boolean isDataset(NodeDef node) {
    return DATASET.matcher(node.getOp()).find();
  }

  /** The node or argument in {@code input}, which may name an output of it. */
  static String name(String input) {
    int colon = input.indexOf(':');
    return colon < 0 ? input : input.substring(0, colon);
  }

  /** The node that produces {@code input}; null for an argument. */
  @Nullable NodeDef producer(String input) {
    return nodes.get(name(input));
  }

  /** The inputs of {@code node} that are datasets. */
  List<String> datasetInputs(NodeDef node) {
    return node.getInputList().stream()
        .filter(input -> {
          NodeDef from = producer(input);
          return (from != null && isDataset(from)) || isDatasetArgument(node, input);
        })
        .toList();
  }

  /** Whether {@code input} is an argument of the function in the place of an input dataset. */
  private boolean isDatasetArgument(NodeDef node, String input) {
    Op op = registry.find(node.getOp());
    return producer(input) == null
        && op != null
        && !op.inputs().isEmpty()
        && op.inputs().getFirst().name().equals("input_dataset")
        && node.getInput(0).equals(input);
  }

  /** The functions of {@code node}, in the order of their attrs' names. */
  List<PlanScope> functions(NodeDef node) {
    List<PlanScope> functions = new ArrayList<>();
    for (AttrValue value : new TreeMap<>(node.getAttrMap()).values()) {
      FunctionDef function = library.get(value.getFunc().getName());
      if (value.hasFunc() && function != null) {
        functions.add(
            new PlanScope(
                function.getSignature().getName(),
                function.getNodeDefList(),
                library,
                Optional.ofNullable(function.getRetMap().get("output_0")),
                registry));
      }
    }
    return functions;
  }

  /** The dataset that the function returns; empty if it returns something else. */
  Optional<String> resultDataset() {
    return result.filter(input -> {
      NodeDef from = producer(input);
      return from != null && isDataset(from);
    });
  }

  /** The stage and its arguments: {@code batch(batch_size=128)}. */
  String stageText(NodeDef node) {
    String stage = snake(DATASET.matcher(node.getOp()).replaceFirst(""));
    Op op = registry.find(node.getOp());
    if (op == null) {
      return stage + "(...)";
    }
    List<String> datasets = datasetInputs(node);
    List<String> arguments = new ArrayList<>();
    int at = 0;
    for (ArgSpec argument : op.inputs()) {
      int count = Math.min(argument.count(attrs(node, op)), node.getInputCount() - at);
      List<String> values = new ArrayList<>();
      for (String input : node.getInputList().subList(at, at + count)) {
        if (!datasets.contains(input) && !UNTOLD.contains(argument.name())) {
          values.add(valueText(node, argument.name(), input));
        }
      }
      at += count;
      values.removeIf(String::isEmpty);
      if (!values.isEmpty()) {
        boolean captured = argument.name().contains("other_arguments");
        arguments.add(
            captured
                ? "captured=" + values.size()
                : argument.name() + "=" + String.join(", ", values));
      }
    }
    return stage + arguments.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  private static Attrs attrs(NodeDef node, Op op) {
    return new Attrs(node.getName(), op, node.getAttrMap());
  }

  /** The text of an input's value; empty where the value is the usual one. */
  private String valueText(NodeDef node, String argument, String input) {
    NodeDef from = producer(input);
    if (from == null) {
      return name(input);
    }
    if (!from.getOp().equals("Const")) {
      List<String> inputs =
          from.getInputList().stream()
              .map(each -> valueText(from, "", each))
              .filter(text -> !text.isEmpty())
              .toList();
      return inputs.isEmpty() ? "" : snake(from.getOp()) + "(" + String.join(", ", inputs) + ")";
    }
    Tensor value = TensorProtos.read(from.getAttrOrThrow("value").getTensor());
    if (isUsual(node, argument, value)) {
      return "";
    }
    boolean adapts = argument.equals("num_parallel_calls") || argument.equals("buffer_size");
    if (adapts && value.integer(0) == Parallelism.AUTOTUNE) {
      return "AUTOTUNE";
    }
    if (argument.equals("buffer_size") && value.integer(0) == DatasetValue.UNKNOWN) {
      return "ALL";
    }
    String text = value.toString().substring(value.typeAndShape().length() + 1);
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN - 3) + "...";
  }

  private static boolean isUsual(NodeDef node, String argument, Tensor value) {
    return switch (argument) {
      case "compression_type", "na_value", "job_name" ->
          value.elements() == 1 && value.string(0).length == 0;
      case "buffer_size" ->
          node.getOp().startsWith("TFRecord")
              || node.getOp().startsWith("TextLine")
              || node.getOp().startsWith("FixedLength")
              || node.getOp().startsWith("CSV");
      case "seed", "seed2" -> value.integer(0) == 0;
      case "drop_remainder" -> !value.bool(0);
      case "select_cols", "exclude_cols" -> value.elements() == 0;
      default -> false;
    };
  }

  private static String snake(String name) {
    return WORD.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
  }

  /** The elements of a dataset: their dtypes and shapes, flattened. */
  String elementsText(NodeDef node) {
    Op op = registry.find(node.getOp());
    if (op == null) {
      return "";
    }
    Attrs attrs = attrs(node, op);
    String typesAttr = attrs.has("output_types") ? "output_types" : "Toutput_types";
    if (!attrs.has(typesAttr)) {
      return DataType.STRING.tfName() + Shape.SCALAR;
    }
    List<DataType> types = attrs.types(typesAttr);
    List<Shape> shapes = attrs.shapes("output_shapes");
    List<String> components = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      components.add(types.get(i).tfName() + (i < shapes.size() ? shapes.get(i) : ""));
    }
    return components.size() == 1
        ? components.getFirst()
        : components.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  /**
   * The bytes of an element that the functions of {@code node} are called with, if the shapes and
   * dtypes of its first input tell.
   */
  OptionalLong inputRowBytes(NodeDef node) {
    NodeDef input = node.getInputCount() == 0 ? null : producer(node.getInput(0));
    Op op = input == null ? null : registry.find(input.getOp());
    if (input == null || op == null || !isDataset(input)) {
      return OptionalLong.empty();
    }
    Attrs attrs = attrs(input, op);
    if (!attrs.has("output_types") || !attrs.has("output_shapes")) {
      return OptionalLong.empty();
    }
    List<DataType> types = attrs.types("output_types");
    List<Shape> shapes = attrs.shapes("output_shapes");
    double bytes = 0;
    for (int i = 0; i < types.size(); i++) {
      if (i >= shapes.size() || !shapes.get(i).isKnown() || types.get(i).byteSize() <= 0) {
        return OptionalLong.empty();
      }
      double size = types.get(i).byteSize();
      for (long dimension : shapes.get(i).dimensions()) {
        size *= dimension;
      }
      bytes += size;
    }
    return OptionalLong.of((long) bytes);
  }
}

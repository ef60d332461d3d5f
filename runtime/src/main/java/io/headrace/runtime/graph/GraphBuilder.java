package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds a graph, or a function while a lambda is traced into it.
 *
 * <p>Using an {@link Output} of an enclosing builder captures it: it becomes an argument, which the
 * caller of the function passes. Not thread-safe.
 */
public sealed class GraphBuilder permits FunctionBuilder {
  private static final ScopedValue<GraphBuilder> CURRENT = ScopedValue.newInstance();

  /** The producer version that TensorFlow 2.21 writes to its graphs. */
  private static final int PRODUCER = 2474;

  final List<BuiltNode> nodes = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final Map<String, Integer> repeated = new HashMap<>();
  private final Map<String, FunctionDef> functions = new LinkedHashMap<>();
  private final Map<BuiltNode, Operation> operations = new HashMap<>();
  private final OpRegistry registry;
  private DeviceSpec device = DeviceSpec.ANY;

  /** An empty graph over the ops of {@code registry}. */
  public GraphBuilder(OpRegistry registry) {
    this.registry = registry;
  }

  /** The builder of the function that this thread is tracing. */
  public static GraphBuilder current() {
    if (!CURRENT.isBound()) {
      throw StatusException.invalidArgument(
          "this can only be used while a graph is built: inside a function given to a dataset's"
              + " map, filter and the like");
    }
    return CURRENT.get();
  }

  /**
   * The builder for nodes that consume {@code output}: the one being traced, or the output's own.
   */
  static GraphBuilder currentFor(Output output) {
    return CURRENT.isBound() ? CURRENT.get() : output.builder();
  }

  /** Calls {@code action} with this builder as the {@link #current} one. */
  <T> T trace(Supplier<T> action) {
    return ScopedValue.where(CURRENT, this).call(action::get);
  }

  OpRegistry registry() {
    return registry;
  }

  /** Begins a node of op {@code opName}; UNIMPLEMENTED if the op is not registered. */
  public NodeBuilder op(String opName) {
    return new NodeBuilder(this, opName);
  }

  /** A constant. */
  public Output constant(Tensor value) {
    return op("Const")
        .attr("value", AttrValue.newBuilder().setTensor(TensorProtos.write(value)).build())
        .attr("dtype", value.dtype())
        .build();
  }

  /** The output within this builder: itself, or the argument that captures it. */
  Output local(Output output) {
    if (output.builder() != this) {
      throw StatusException.invalidArgument(
          "%s belongs to another graph, or to a function inside this one: it can be used in the"
              + " function it was given to, and in those inside that",
          output);
    }
    return output;
  }

  /** Adds a traced function and its callees to the library. */
  public void addFunction(TracedFunction function) {
    function.library().forEach(this::addFunction);
  }

  private void addFunction(String name, FunctionDef definition) {
    functions.put(name, definition);
  }

  Map<String, FunctionDef> functions() {
    return functions;
  }

  String uniqueName(String base) {
    String name = base;
    while (!names.add(name)) {
      name = base + "_" + repeated.merge(base, 1, Integer::sum);
    }
    return name;
  }

  /**
   * Places the nodes added until the scope is closed on {@code device}. Scopes nest: parts missing
   * in an inner scope come from the outer ones.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed
   */
  public DeviceScope device(String spec) {
    DeviceSpec outer = device;
    device = DeviceSpec.parse(spec).over(outer);
    return () -> device = outer;
  }

  /** The scope of a device placement; closing it ends the placement. */
  @FunctionalInterface
  public interface DeviceScope extends AutoCloseable {
    @Override
    void close();
  }

  String currentDevice() {
    return device.equals(DeviceSpec.ANY) ? "" : device.toString();
  }

  /** Adds a node and infers the shapes of its outputs. */
  Operation add(BuiltNode node) {
    Operation operation = Operation.of(this, node, nodes.size());
    nodes.add(node);
    operations.put(node, operation);
    return operation;
  }

  Operation operation(BuiltNode node) {
    return operations.computeIfAbsent(node, argument -> Operation.of(this, argument, -1));
  }

  /** The operations, in order: each follows its inputs. */
  public List<Operation> operations() {
    return nodes.stream().map(this::operation).toList();
  }

  /** The operation {@code name}; NOT_FOUND if the graph does not have it. */
  public Operation operation(String name) {
    for (BuiltNode node : nodes) {
      if (node.name().equals(name)) {
        return operation(node);
      }
    }
    throw StatusException.of(StatusCode.NOT_FOUND, "the graph has no operation %s", name);
  }

  /**
   * Imports the nodes of {@code graph} that {@code results} ({@code node} or {@code node:output})
   * depend on, under the same names, and the functions of its library.
   *
   * @return the outputs that {@code results} name
   * @throws StatusException INVALID_ARGUMENT if a name is taken or the graph is malformed,
   *     UNIMPLEMENTED for an unsupported op
   */
  public List<Output> importGraph(GraphDef graph, List<String> results) {
    PrunedGraph read = GraphReader.read(graph, results, registry);
    graph
        .getLibrary()
        .getFunctionList()
        .forEach(function -> addFunction(function.getSignature().getName(), function));
    List<Operation> imported = new ArrayList<>();
    for (Node node : read.nodes()) {
      if (!uniqueName(node.name()).equals(node.name())) {
        throw StatusException.invalidArgument("the graph has a node %s already", node.name());
      }
      List<Output> inputs =
          node.inputs().stream()
              .map(from -> imported.get(from.node()).outputs().get(from.output()))
              .toList();
      List<BuiltNode> after =
          node.controlInputs().stream().map(index -> imported.get(index).node()).toList();
      imported.add(
          add(
              new BuiltNode(
                  node.name(),
                  node.op(),
                  node.attrs().values(),
                  inputs,
                  after,
                  node.device(),
                  null)));
    }
    return read.results().stream()
        .map(result -> imported.get(result.node()).outputs().get(result.output()))
        .toList();
  }

  /** The current graph. */
  public GraphDef toGraphDef() {
    return toGraphDef(0);
  }

  /** The nodes from node {@code first} on, and all functions. */
  public GraphDef toGraphDef(int first) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    for (BuiltNode node : nodes.subList(first, nodes.size())) {
      graph.addNode(node.toNodeDef(GraphBuilder::graphInput));
    }
    graph.getLibraryBuilder().addAllFunction(functions.values());
    graph.getVersionsBuilder().setProducer(PRODUCER);
    return graph.build();
  }

  /** The graph with a final {@code _Retval} node named {@code dataset} on {@code result}. */
  public GraphDef toDatasetGraph(Output result) {
    return toGraphDef().toBuilder()
        .addNode(
            NodeDef.newBuilder()
                .setName("dataset")
                .setOp("_Retval")
                .addInput(graphInput(local(result)))
                .putAttr(
                    "T", AttrValue.newBuilder().setTypeValue(DataType.VARIANT.number()).build())
                .putAttr("index", AttrValue.newBuilder().setI(0).build()))
        .build();
  }

  private static String graphInput(Output output) {
    String node = output.node().name();
    return output.index() == 0 ? node : node + ":" + output.index();
  }

  /**
   * A built node.
   *
   * @param name its name, unique in its graph
   * @param op its op
   * @param attrs its attrs
   * @param inputs its inputs, all of this graph
   * @param after its control inputs, nodes of this graph
   * @param device its requested device; empty for any
   * @param argument the function argument that the node represents, or null
   */
  record BuiltNode(
      String name,
      Op op,
      Map<String, AttrValue> attrs,
      List<Output> inputs,
      List<BuiltNode> after,
      String device,
      @Nullable String argument) {
    /** Nodes are compared by identity. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    NodeDef toNodeDef(Function<Output, String> inputName) {
      NodeDef.Builder node =
          NodeDef.newBuilder().setName(name).setOp(op.name()).setDevice(device).putAllAttr(attrs);
      inputs.forEach(input -> node.addInput(inputName.apply(input)));
      after.forEach(before -> node.addInput("^" + before.name()));
      return node.build();
    }
  }
}

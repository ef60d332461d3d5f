package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the nodes of a graph, or of a function while a lambda is traced into it.
 *
 * <p>An {@link Output} of an enclosing builder that is used here is captured: it becomes an
 * argument, handed in by whoever calls the function. Not thread-safe.
 */
public sealed class GraphBuilder permits FunctionBuilder {
  private static final ScopedValue<GraphBuilder> CURRENT = ScopedValue.newInstance();

  /** What TensorFlow 2.21 writes as the version of the graphs that it produces. */
  private static final int PRODUCER = 2474;

  final List<BuiltNode> nodes = new ArrayList<>();
  private final Map<String, Integer> names = new HashMap<>();
  private final Map<String, FunctionDef> functions = new LinkedHashMap<>();
  private final OpRegistry registry;

  /** An empty graph of ops of {@code registry}. */
  public GraphBuilder(OpRegistry registry) {
    this.registry = registry;
  }

  /** The builder of the function that is being traced by this thread. */
  public static GraphBuilder current() {
    if (!CURRENT.isBound()) {
      throw StatusException.invalidArgument(
          "this can only be used while a graph is built: inside a function given to a dataset's"
              + " map, filter and the like");
    }
    return CURRENT.get();
  }

  /** The builder that new nodes on {@code output} go to: the one being traced, or its own. */
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

  /** Begins a node of op {@code opName}; UNIMPLEMENTED if there is no such op. */
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

  /** The output as seen from this builder: itself, or the argument that captures it. */
  Output local(Output output) {
    if (output.builder() != this) {
      throw StatusException.invalidArgument(
          "%s belongs to another graph, or to a function inside this one", output);
    }
    return output;
  }

  /** Adds a finished function to the library, and the functions that it brings. */
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
    int count = names.merge(base, 1, Integer::sum);
    return count == 1 ? base : base + "_" + (count - 1);
  }

  BuiltNode add(BuiltNode node) {
    nodes.add(node);
    return node;
  }

  /** The graph with a last node {@code _Retval} called {@code dataset} on {@code result}. */
  public GraphDef toDatasetGraph(Output result) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    for (BuiltNode node : nodes) {
      graph.addNode(node.toNodeDef(GraphBuilder::graphInput));
    }
    graph.addNode(
        NodeDef.newBuilder()
            .setName("dataset")
            .setOp("_Retval")
            .addInput(graphInput(local(result)))
            .putAttr("T", AttrValue.newBuilder().setTypeValue(DataType.VARIANT.number()).build())
            .putAttr("index", AttrValue.newBuilder().setI(0).build()));
    graph.getLibraryBuilder().addAllFunction(functions.values());
    graph.getVersionsBuilder().setProducer(PRODUCER);
    return graph.build();
  }

  private static String graphInput(Output output) {
    String node = output.node().name();
    return output.index() == 0 ? node : node + ":" + output.index();
  }

  /**
   * A node that was built.
   *
   * @param name unique in its graph
   * @param op its op
   * @param attrs its attrs
   * @param inputs its inputs, all of this graph
   * @param argument the function argument that it stands for, or null
   */
  record BuiltNode(
      String name,
      Op op,
      Map<String, AttrValue> attrs,
      List<Output> inputs,
      @Nullable String argument) {
    /** A node is the same as itself only: two alike are two. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    NodeDef toNodeDef(Function<Output, String> inputName) {
      NodeDef.Builder node = NodeDef.newBuilder().setName(name).setOp(op.name()).putAllAttr(attrs);
      inputs.forEach(input -> node.addInput(inputName.apply(input)));
      return node.build();
    }
  }

  /** Shapes of outputs that nothing is known of. */
  static List<Shape> unknown(int outputs) {
    return Collections.nCopies(outputs, Shape.UNKNOWN);
  }
}

package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.graph.GraphBuilder.BuiltNode;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node of a graph under construction: a session can fetch it as a target, and other nodes can
 * take it as a control input. Immutable.
 */
public final class Operation {
  private final GraphBuilder builder;
  private final BuiltNode node;
  private final Attrs attrs;
  private final List<Output> outputs;
  private final int place;

  private Operation(
      GraphBuilder builder, BuiltNode node, int place, Attrs attrs, List<Output> outputs) {
    this.builder = builder;
    this.node = node;
    this.place = place;
    this.attrs = attrs;
    this.outputs = outputs;
  }

  static Operation of(GraphBuilder builder, BuiltNode node, int place) {
    Attrs attrs = new Attrs(node.name(), node.op(), node.attrs());
    List<DataType> types = GraphReader.types(node.op().outputs(), attrs);
    List<Shape> shapes = shapes(node, attrs);
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      Shape shape = shapes.size() == types.size() ? shapes.get(i) : Shape.UNKNOWN;
      outputs.add(new Output(builder, node, i, types.get(i), shape));
    }
    return new Operation(builder, node, place, attrs, List.copyOf(outputs));
  }

  /** The shapes of the outputs; an error names the op and its inputs. */
  private static List<Shape> shapes(BuiltNode node, Attrs attrs) {
    try {
      return node.op().shapeRule().infer(new KnownInputs(attrs, node.inputs()));
    } catch (StatusException e) {
      String inputs =
          node.inputs().stream().map(Output::toString).collect(Collectors.joining(", "));
      throw new StatusException(
          e.code(), "%s, in op %s of (%s)".formatted(e.message(), node.op().name(), inputs), e);
    }
  }

  GraphBuilder builder() {
    return builder;
  }

  BuiltNode node() {
    return node;
  }

  /** The graph, or function under construction, that contains the operation. */
  public GraphBuilder graph() {
    return builder;
  }

  /**
   * The index among {@link GraphBuilder#operations}, after its inputs; -1 for a function argument,
   * which precedes all operations.
   */
  public int place() {
    return place;
  }

  /** The name, unique in its graph. */
  public String name() {
    return node.name();
  }

  /** The name of its op. */
  public String op() {
    return node.op().name();
  }

  /** Its attrs. */
  public Attrs attrs() {
    return attrs;
  }

  /** The inputs, in order. */
  public List<Output> inputs() {
    return node.inputs();
  }

  /** The outputs, in order; may be empty. */
  public List<Output> outputs() {
    return outputs;
  }

  /** Name and op. */
  @Override
  public String toString() {
    return name() + " (op " + op() + ")";
  }

  /** The value of {@code output} if a Const node produces it; otherwise null. */
  static @Nullable Tensor constantValue(Output output) {
    BuiltNode from = output.node();
    AttrValue value = from.op().name().equals("Const") ? from.attrs().get("value") : null;
    return value == null ? null : TensorProtos.read(value.getTensor());
  }

  private record KnownInputs(Attrs attrs, List<Output> inputs) implements ShapeFunction.Inputs {
    @Override
    public int count() {
      return inputs.size();
    }

    @Override
    public Shape shape(int index) {
      return inputs.get(index).shape();
    }

    @Override
    public @Nullable Tensor constant(int index) {
      return constantValue(inputs.get(index));
    }
  }
}

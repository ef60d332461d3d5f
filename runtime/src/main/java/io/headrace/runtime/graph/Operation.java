package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.graph.GraphBuilder.BuiltNode;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a graph that is being built: what a session's step can be told to run, and what others
 * can be told to wait for. Immutable.
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
    List<Shape> shapes = node.op().shapeRule().infer(new KnownInputs(attrs, node.inputs()));
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      Shape shape = shapes.size() == types.size() ? shapes.get(i) : Shape.UNKNOWN;
      outputs.add(new Output(builder, node, i, types.get(i), shape));
    }
    return new Operation(builder, node, place, attrs, List.copyOf(outputs));
  }

  GraphBuilder builder() {
    return builder;
  }

  BuiltNode node() {
    return node;
  }

  /** The graph, or function in the making, that it is part of. */
  public GraphBuilder graph() {
    return builder;
  }

  /**
   * Its place among {@link GraphBuilder#operations}, behind those that it uses; -1 for an argument
   * of a function, which is before them.
   */
  public int place() {
    return place;
  }

  /** Unique in its graph. */
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

  /** What it takes, in order. */
  public List<Output> inputs() {
    return node.inputs();
  }

  /** What it gives, in order; some give nothing. */
  public List<Output> outputs() {
    return outputs;
  }

  /** Name and op. */
  @Override
  public String toString() {
    return name() + " (op " + op() + ")";
  }

  /** The value of {@code output} if a constant gives it. */
  static @Nullable Tensor constantValue(Output output) {
    BuiltNode from = output.node();
    AttrValue value = from.op().name().equals("Const") ? from.attrs().get("value") : null;
    return value == null ? null : TensorProtos.read(value.getTensor());
  }

  private record KnownInputs(Attrs attrs, List<Output> inputs) implements ShapeRule.Inputs {
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

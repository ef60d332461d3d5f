package io.headrace.cluster;

import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.gradient.Gradients;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A computation for a {@link Session} to run: operations, each of which may ask for a device of a
 * cluster.
 *
 * <pre>{@code
 * Graph g = new Graph();
 * Output a, b;
 * try (var d = g.device("/job:ps/task:0/cpu:0")) {
 *   a = g.constant(1f);
 * }
 * try (var d = g.device("/job:worker/task:0")) {
 *   b = a.add(2f);
 * }
 * }</pre>
 *
 * <p>Operations are added by methods of {@link Output}, by {@link #op} for any op by its TensorFlow
 * name, and by the methods here; a session that runs the graph sees those that are added later,
 * too. A graph is built by one thread at a time.
 */
public final class Graph {
  private final GraphBuilder builder = new GraphBuilder(OpRegistry.standard());
  private final List<Variable> variables = new ArrayList<>();

  /** A float32 scalar. */
  public Output constant(float value) {
    return constant(Tensor.scalar(value));
  }

  /** A float64 scalar. */
  public Output constant(double value) {
    return constant(Tensor.scalar(value));
  }

  /** An int32 scalar. */
  public Output constant(int value) {
    return constant(Tensor.scalar(value));
  }

  /** An int64 scalar. */
  public Output constant(long value) {
    return constant(Tensor.scalar(value));
  }

  /** A string scalar. */
  public Output constant(String value) {
    return constant(Tensor.scalar(value));
  }

  /** A constant. */
  public Output constant(Tensor value) {
    return builder.constant(value);
  }

  /** A value that each run must feed; one dimension or the whole shape may be unknown. */
  public Output placeholder(DataType dtype, Shape shape) {
    return op("Placeholder").attr("dtype", dtype).attr("shape", shape).build();
  }

  /**
   * A variable called {@code name}, whose first value is {@code initial} once {@link #initializer}
   * was run. It is kept by the task of its device, by its name: sessions and graphs that know the
   * name share it.
   */
  public Variable variable(String name, Output initial) {
    Variable variable = new Variable(this, name, initial);
    variables.add(variable);
    return variable;
  }

  /** The same, with a constant. */
  public Variable variable(String name, Tensor initial) {
    return variable(name, constant(initial));
  }

  /** Gives every variable of this graph its first value. */
  public Operation initializer() {
    return group(variables.stream().map(Variable::initializer).toList());
  }

  /** Does nothing itself, once all {@code operations} are done. */
  public Operation group(Collection<Operation> operations) {
    NodeBuilder group = op("NoOp").named("group");
    operations.forEach(group::after);
    return group.buildOperation();
  }

  /** Begins a node of the op called {@code name}; UNIMPLEMENTED if there is none. */
  public NodeBuilder op(String name) {
    return builder.op(name);
  }

  /**
   * Asks for a device for what is added until the scope is closed: any part of {@code
   * /job:JOB/replica:0/task:TASK/device:TYPE:ID}. Scopes nest; INVALID_ARGUMENT if it is malformed.
   */
  public GraphBuilder.DeviceScope device(String spec) {
    return builder.device(spec);
  }

  /**
   * The derivatives of the sum of {@code loss} by each of {@code parameters}, such as {@link
   * Variable#value()}: tensors of their shapes, as TensorFlow's {@code tf.gradients}.
   *
   * @throws StatusException INVALID_ARGUMENT for a parameter that the loss does not depend on;
   *     UNIMPLEMENTED for an op between them that has no gradient
   */
  public List<Output> gradients(Output loss, List<Output> parameters) {
    List<Optional<Output>> found = Gradients.of(List.of(loss), parameters);
    List<Output> gradients = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Output parameter = parameters.get(i);
      gradients.add(
          found
              .get(i)
              .orElseThrow(() ->
                  StatusException.invalidArgument(
                      "%s does not depend on %s, so there is no gradient",
                      loss.name(), parameter.name())));
    }
    return gradients;
  }

  /** Adds what {@code results} need of another graph, under its names; their outputs. */
  public List<Output> importGraph(GraphDef graph, List<String> results) {
    return builder.importGraph(graph, results);
  }

  /** The operation called {@code name}; NOT_FOUND if there is none. */
  public Operation operation(String name) {
    return builder.operation(name);
  }

  /** The graph as it is now, as TensorFlow writes it. */
  public GraphDef toGraphDef() {
    return builder.toGraphDef();
  }

  GraphBuilder builder() {
    return builder;
  }
}

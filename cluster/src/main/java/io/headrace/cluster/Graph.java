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
 * The dataflow graph of a {@link Session}: operations, each of them optionally pinned to a device
 * of a cluster.
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
 * name, and by the methods here; a session that runs the graph also sees operations that are added
 * later. Not thread-safe while it is built.
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

  /** A constant of the dtype and shape of {@code value}. */
  public Output constant(Tensor value) {
    return builder.constant(value);
  }

  /** A value that each run must feed; one dimension or the whole shape may be unknown. */
  public Output placeholder(DataType dtype, Shape shape) {
    return op("Placeholder").attr("dtype", dtype).attr("shape", shape).build();
  }

  /**
   * A variable called {@code name}, which {@link #initializer} sets to {@code initial}. The task of
   * its device keeps it under its name; sessions and graphs that use the same name share it.
   */
  public Variable variable(String name, Output initial) {
    Variable variable = new Variable(this, name, initial);
    variables.add(variable);
    return variable;
  }

  /** A variable whose initial value is a constant. */
  public Variable variable(String name, Tensor initial) {
    return variable(name, constant(initial));
  }

  /** The operation that sets every variable of this graph to its initial value. */
  public Operation initializer() {
    return group(variables.stream().map(Variable::initializer).toList());
  }

  /** A NoOp with control dependencies on all {@code operations}. */
  public Operation group(Collection<Operation> operations) {
    NodeBuilder group = op("NoOp").named("group");
    operations.forEach(group::after);
    return group.buildOperation();
  }

  /** Starts a node of the op {@code name}; UNIMPLEMENTED if the registry has no such op. */
  public NodeBuilder op(String name) {
    return builder.op(name);
  }

  /**
   * Requests a device for all operations that are added until the scope is closed: any part of
   * {@code /job:JOB/replica:0/task:TASK/device:TYPE:ID}. Scopes nest. INVALID_ARGUMENT if {@code
   * spec} is malformed.
   */
  public GraphBuilder.DeviceScope device(String spec) {
    return builder.device(spec);
  }

  /**
   * The gradients of the sum of {@code loss} with respect to each of {@code parameters}, such as
   * {@link Variable#value()}: tensors of the parameters' shapes, as {@code tf.gradients} of
   * TensorFlow returns them.
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

  /**
   * Imports the nodes that {@code results} depend on from {@code graph}, under their names there.
   *
   * @return the outputs {@code results}
   */
  public List<Output> importGraph(GraphDef graph, List<String> results) {
    return builder.importGraph(graph, results);
  }

  /** The operation {@code name}; NOT_FOUND if the graph has no such operation. */
  public Operation operation(String name) {
    return builder.operation(name);
  }

  /** The graph as it is now, as a GraphDef. */
  public GraphDef toGraphDef() {
    return builder.toGraphDef();
  }

  GraphBuilder builder() {
    return builder;
  }
}

package io.headrace.cluster;

import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.tensor.DataType;

/**
 * A variable of a {@link Graph}: a tensor that a task of the cluster keeps from step to step. It
 * must be initialized before it is read, or FAILED_PRECONDITION names it.
 */
public final class Variable {
  private final Graph graph;
  private final Output handle;
  private final DataType dtype;
  private final Operation initializer;
  private final Output value;

  Variable(Graph graph, String name, Output initial) {
    this.graph = graph;
    this.dtype = initial.dtype();
    this.handle =
        graph
            .op("VarHandleOp")
            .named(name)
            .attr("dtype", dtype)
            .attr("shape", initial.shape())
            .attr("shared_name", name)
            .build();
    this.initializer = assign(initial);
    this.value = read();
  }

  /** What ops on variables, such as {@code ResourceApplyAdam}, take. */
  public Output handle() {
    return handle;
  }

  /** What it holds, read once in a step, at some time: what gradients are taken by. */
  public Output value() {
    return value;
  }

  /** What it holds when this very operation runs; give it control inputs to say when. */
  public Output read() {
    return graph.op("ReadVariableOp").input(handle).attr("dtype", dtype).build();
  }

  /** Gives it its first value. */
  public Operation initializer() {
    return initializer;
  }

  /** Sets it. */
  public Operation assign(Output newValue) {
    return graph.op("AssignVariableOp").input(handle).input(newValue).buildOperation();
  }

  /** Adds to it. */
  public Operation assignAdd(Output more) {
    return graph.op("AssignAddVariableOp").input(handle).input(more).buildOperation();
  }

  /** Subtracts from it. */
  public Operation assignSub(Output less) {
    return graph.op("AssignSubVariableOp").input(handle).input(less).buildOperation();
  }

  /** Takes {@code rate} times {@code gradient} from it: a step of gradient descent. */
  public Operation descend(Output gradient, Output rate) {
    return graph
        .op("ResourceApplyGradientDescent")
        .input(handle)
        .input(rate)
        .input(gradient)
        .buildOperation();
  }

  /** Its name, which says which variable of its task it is. */
  public String name() {
    Attrs attrs = handle.operation().attrs();
    return attrs.string("shared_name");
  }
}

package io.headrace.cluster;

import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.tensor.DataType;

/**
 * A variable of a {@link Graph}: a tensor that a task of the cluster keeps from step to step.
 * Reading it before it is initialized fails with FAILED_PRECONDITION, which names it.
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

  /** The resource handle, the input of ops on variables such as {@code ResourceApplyAdam}. */
  public Output handle() {
    return handle;
  }

  /**
   * The value, read once in a step at an unspecified time; gradients are taken with respect to this
   * output.
   */
  public Output value() {
    return value;
  }

  /** A new read of the value, at the time when the operation runs; control inputs order it. */
  public Output read() {
    return graph.op("ReadVariableOp").input(handle).attr("dtype", dtype).build();
  }

  /** The operation that assigns the initial value. */
  public Operation initializer() {
    return initializer;
  }

  /** Assigns {@code newValue}. */
  public Operation assign(Output newValue) {
    return graph.op("AssignVariableOp").input(handle).input(newValue).buildOperation();
  }

  /** Adds {@code more} to the value. */
  public Operation assignAdd(Output more) {
    return graph.op("AssignAddVariableOp").input(handle).input(more).buildOperation();
  }

  /** Subtracts {@code less} from the value. */
  public Operation assignSub(Output less) {
    return graph.op("AssignSubVariableOp").input(handle).input(less).buildOperation();
  }

  /** Subtracts {@code rate * gradient} from the value: a step of gradient descent. */
  public Operation descend(Output gradient, Output rate) {
    return graph
        .op("ResourceApplyGradientDescent")
        .input(handle)
        .input(rate)
        .input(gradient)
        .buildOperation();
  }

  /** The shared name, under which the task keeps the variable. */
  public String name() {
    Attrs attrs = handle.operation().attrs();
    return attrs.string("shared_name");
  }
}

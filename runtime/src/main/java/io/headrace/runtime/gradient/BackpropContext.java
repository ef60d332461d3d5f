package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One operation of the backward pass: its inputs and outputs, and the gradients of its outputs. */
final class BackpropContext {
  private final Operation operation;
  private final GraphBuilder graph;
  private final List<@Nullable Output> outputGradients;

  BackpropContext(Operation operation, GraphBuilder graph, List<@Nullable Output> outputGradients) {
    this.operation = operation;
    this.graph = graph;
    this.outputGradients = outputGradients;
  }

  Attrs attrs() {
    return operation.attrs();
  }

  /** Number of inputs. */
  int inputs() {
    return operation.inputs().size();
  }

  Output x(int index) {
    return operation.inputs().get(index);
  }

  Output y(int index) {
    return operation.outputs().get(index);
  }

  /** The only output. */
  Output y() {
    return y(0);
  }

  /** The gradient of output {@code index}; null if no gradient reached it. */
  @Nullable Output dyOrNull(int index) {
    return outputGradients.get(index);
  }

  /** The gradient of output {@code index}; zeros if no gradient reached it. */
  Output dy(int index) {
    Output gradient = outputGradients.get(index);
    return gradient != null ? gradient : zerosLike(y(index));
  }

  /** The gradient of the first output. */
  Output dy() {
    return dy(0);
  }

  NodeBuilder op(String name) {
    return graph.op(name).named("gradients/" + operation.name() + "_grad/" + name);
  }

  Output unary(String name, Output x) {
    return op(name).input(x).build();
  }

  Output binary(String name, Output x, Output y) {
    return op(name).input(x).input(y).build();
  }

  Output constant(Tensor value) {
    return graph.constant(value);
  }

  /** {@code value} as a scalar of {@code dtype}. */
  Output number(double value, DataType dtype) {
    Output constant = constant(Tensor.scalar(value));
    if (dtype == DataType.FLOAT64) {
      return constant;
    }
    return dtype == DataType.FLOAT32
        ? constant(Tensor.scalar((float) value))
        : constant.cast(dtype);
  }

  Output ints(int... values) {
    return constant(Tensor.vector(values));
  }

  /** The complex conjugate of {@code x}; {@code x} if it is real. */
  Output conjugate(Output x) {
    return x.dtype().isComplex() ? unary("Conj", x) : x;
  }

  Output shape(Output x) {
    Shape known = x.shape();
    if (known.isKnown()) {
      return ints(IntStream.range(0, known.rank()).map(i -> (int) known.size(i)).toArray());
    }
    return unary("Shape", x);
  }

  Output zerosLike(Output x) {
    return unary("ZerosLike", x);
  }

  Output reshapeLike(Output gradient, Output x) {
    return binary("Reshape", gradient, shape(x));
  }

  /** The rank of {@code x}, which must be known. */
  int rank(Output x) {
    if (x.shape().isUnknownRank()) {
      throw StatusException.unimplemented(
          "the gradient of %s needs the rank of %s, which is not known", operation, x.name());
    }
    return x.shape().rank();
  }

  /** The UNIMPLEMENTED error of a rule that covers only nodes without {@code feature}. */
  StatusException missing(String feature) {
    return StatusException.unimplemented("there is no gradient of %s with %s", operation, feature);
  }

  /** The constant value of {@code x}, on which the form of the gradient depends. */
  Tensor constantOf(Output x) {
    return x.constantValue()
        .orElseThrow(() ->
            StatusException.unimplemented(
                "the gradient of %s needs %s to be a constant", operation, x.name()));
  }

  /**
   * The gradients of two inputs that broadcast against each other, each summed over its broadcast
   * dimensions.
   */
  List<@Nullable Output> unbroadcast(Output dx0, Output dx1) {
    Output x0 = x(0);
    Output x1 = x(1);
    if (x0.shape().isKnown() && x0.shape().equals(x1.shape())) {
      return List.of(dx0, dx1);
    }
    List<Output> axes = op("BroadcastGradientArgs").input(shape(x0)).input(shape(x1)).buildAll();
    return List.of(sumTo(dx0, axes.get(0), x0), sumTo(dx1, axes.get(1), x1));
  }

  /** {@code gradient} summed over {@code axes}, in the shape of {@code x}. */
  Output sumTo(Output gradient, Output axes, Output x) {
    return reshapeLike(binary("Sum", gradient, axes), x);
  }
}

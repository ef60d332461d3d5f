package io.headrace.dataset;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Builds the nodes of datasets of ranges and of tensors. */
final class MemorySources {
  private static final String RANGE = "RangeDataset";
  private static final String SLICES = "TensorSliceDataset";
  private static final Structure NUMBER = new Structure.Component(DataType.INT64, Shape.SCALAR);

  private MemorySources() {}

  /** The int64 scalars {@code start}, {@code start + step}, ..., excluding {@code stop}. */
  static Dataset range(long start, long stop, long step) {
    return numbers(
        op -> op.input(Tensor.scalar(start)).input(Tensor.scalar(stop)).input(Tensor.scalar(step)));
  }

  /** The int64 scalars from 0 up to, excluding, an output of a traced function. */
  static Dataset rangeTo(Output stop) {
    return numbers(op -> op.input(Tensor.scalar(0L)).input(stop).input(Tensor.scalar(1L)));
  }

  /** The int64 scalars {@code start}, {@code start + step}, ..., as far as int64 reaches. */
  static Dataset counter(long start, long step) {
    return range(start, step < 0 ? Long.MIN_VALUE : Long.MAX_VALUE, step);
  }

  /** The int64 scalars from {@code start} on; each worker counts all of them. */
  static Dataset replicatedCounter(long start) {
    return numbers(op ->
        op.input(Tensor.scalar(start))
            .input(Tensor.scalar(Long.MAX_VALUE))
            .input(Tensor.scalar(1L))
            .attr("replicate_on_split", true));
  }

  private static Dataset numbers(UnaryOperator<NodeBuilder> inputs) {
    return new Dataset(
        NUMBER, target -> DatasetNodeBuilder.typed(inputs.apply(target.graph().op(RANGE)), NUMBER));
  }

  /** One element with the components {@code values}. */
  static Dataset tensors(List<Tensor> values) {
    return ofTensors("TensorDataset", structure(values, Tensor::dtype, Tensor::shape), values);
  }

  /** One element for each slice of {@code values} along the first dimension. */
  static Dataset slices(List<Tensor> values) {
    values.forEach(value -> requireSlices(value.shape()));
    List<Long> sizes = values.stream().map(value -> value.shape().size(0)).toList();
    if (sizes.stream().distinct().count() > 1) {
      throw StatusException.invalidArgument(
          "tensorSlices takes tensors of one size along the first dimension, and was given %s",
          values.stream().map(Tensor::typeAndShape).toList());
    }
    return ofTensors(
        SLICES, structure(values, Tensor::dtype, value -> value.shape().dropFirst(1)), values);
  }

  private static Dataset ofTensors(String opName, Structure structure, List<Tensor> values) {
    return new Dataset(
        structure,
        target ->
            DatasetNodeBuilder.typed(
                target.graph().op(opName).constants(values), structure, "Toutput_types"));
  }

  /** One element for each slice of a traced function's outputs along the first dimension. */
  static Dataset slicesOf(List<Output> values) {
    values.forEach(value -> requireSlices(value.shape()));
    Structure structure = structure(values, Output::dtype, value -> value.shape().dropFirst(1));
    return new Dataset(
        structure,
        target ->
            DatasetNodeBuilder.typed(
                target.graph().op(SLICES).inputs(values), structure, "Toutput_types"));
  }

  private static void requireSlices(Shape shape) {
    if (!shape.isUnknownRank() && shape.rank() == 0) {
      throw StatusException.invalidArgument(
          "tensorSlices takes tensors that have slices, and a scalar has none; tensors(...) makes"
              + " one element of it");
    }
  }

  private static <T> Structure structure(
      List<T> values, Function<T, DataType> dtype, Function<T, Shape> shape) {
    List<Structure> parts =
        values.stream()
            .<Structure>map(v -> new Structure.Component(dtype.apply(v), shape.apply(v)))
            .toList();
    return parts.size() == 1 ? parts.getFirst() : new Structure.Tuple(parts);
  }
}

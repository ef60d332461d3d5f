package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Builds the nodes of {@code batch} and {@code paddedBatch}. */
final class Batches {
  private Batches() {}

  static Dataset of(Dataset input, long size, boolean dropRemainder) {
    return batched(
        input,
        rows(size, dropRemainder),
        (graph, rows) ->
            graph
                .op("BatchDatasetV2")
                .input(rows)
                .input(Tensor.scalar(size))
                .input(Tensor.scalar(dropRemainder)));
  }

  /** Batches of a size that the traced function computes. */
  static Dataset of(Dataset input, Output size, boolean dropRemainder) {
    return batched(
        input,
        Shape.UNKNOWN_DIMENSION,
        (graph, rows) ->
            graph.op("BatchDatasetV2").input(rows).input(size).input(Tensor.scalar(dropRemainder)));
  }

  /** Batches of which up to {@code calls} are made at the same time. */
  static Dataset parallel(Dataset input, long size, boolean dropRemainder, long calls) {
    return batched(
        input,
        rows(size, dropRemainder),
        (graph, rows) ->
            graph
                .op("ParallelBatchDataset")
                .input(rows)
                .input(Tensor.scalar(size))
                .input(Tensor.scalar(calls))
                .input(Tensor.scalar(dropRemainder))
                .attr("deterministic", "default"));
  }

  /** Begins the node that batches a dataset. */
  private interface Batching {
    NodeBuilder node(GraphBuilder graph, Output rows);
  }

  private static Dataset batched(Dataset input, long size, Batching batching) {
    input.structure().checkTensors("batch");
    Structure batched = input.structure().mapShapes(shape -> shape.prepend(size));
    return new Dataset(
        batched,
        DatasetNodeBuilder.on(
            input, (graph, rows) -> DatasetNodeBuilder.typed(batching.node(graph, rows), batched)));
  }

  /** Batches of {@code size} elements, each component padded as {@code padding} states. */
  static Dataset padded(Dataset input, long size, boolean dropRemainder, Padding padding) {
    return padded(
        input, rows(size, dropRemainder), constant(size), dropRemainder, padding, Batches::vectors);
  }

  /**
   * Batches of elements, of a size and padded to shapes that the traced function computes.
   *
   * @param computed adds a vector of int64 for each padded shape
   */
  static Dataset padded(
      Dataset input,
      Output size,
      boolean dropRemainder,
      Padding padding,
      Function<List<Shape>, List<Output>> computed) {
    return padded(
        input,
        Shape.UNKNOWN_DIMENSION,
        _ -> size,
        dropRemainder,
        padding,
        (_, shapes) -> computed.apply(shapes));
  }

  private static Function<GraphBuilder, Output> constant(long size) {
    return graph -> graph.constant(Tensor.scalar(size));
  }

  private static List<Output> vectors(GraphBuilder graph, List<Shape> shapes) {
    return shapes.stream().map(s -> graph.constant(Tensor.vector(s.dimensions()))).toList();
  }

  private static Dataset padded(
      Dataset input,
      long rows,
      Function<GraphBuilder, Output> size,
      boolean dropRemainder,
      Padding padding,
      BiFunction<GraphBuilder, List<Shape>, List<Output>> computed) {
    input.structure().checkTensors("padded_batch");
    List<Shape> shapes = shapes(input.structure().shapes(), padding);
    List<Tensor> values = values(input.structure().types(), padding);
    List<Shape> remaining = new ArrayList<>(shapes);
    Structure batched = input.structure().mapShapes(_ -> remaining.removeFirst().prepend(rows));
    return new Dataset(
        batched,
        DatasetNodeBuilder.on(
            input,
            (graph, elements) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("PaddedBatchDatasetV2")
                        .input(elements)
                        .input(size.apply(graph))
                        .inputs(computed.apply(graph, shapes))
                        .constants(values)
                        .input(Tensor.scalar(dropRemainder)),
                    batched,
                    "Toutput_types")));
  }

  private static List<Shape> shapes(List<Shape> own, Padding padding) {
    List<Shape> shapes = padding.shapes().isEmpty() ? own : padding.shapes();
    checkCount("padded shapes", shapes.size(), own.size());
    for (int i = 0; i < shapes.size(); i++) {
      if (shapes.get(i).isUnknownRank()) {
        throw StatusException.invalidArgument(
            "component %d has an unknown rank: name the shape to pad it to", i);
      }
    }
    return shapes;
  }

  private static List<Tensor> values(List<DataType> types, Padding padding) {
    List<Tensor> values =
        padding.values().isEmpty() ? types.stream().map(Batches::zero).toList() : padding.values();
    checkValues(values, types);
    return values;
  }

  private static void checkCount(String name, int given, int components) {
    if (given != components) {
      throw StatusException.invalidArgument(
          "the elements have %d components, and %d %s were given", components, given, name);
    }
  }

  private static void checkValues(List<Tensor> values, List<DataType> types) {
    checkCount("padding values", values.size(), types.size());
    for (int i = 0; i < types.size(); i++) {
      Tensor value = values.get(i);
      if (value.dtype() != types.get(i) || value.shape().rank() != 0) {
        throw StatusException.invalidArgument(
            "component %d must be padded with a scalar of %s, and not with %s%s",
            i, types.get(i).tfName(), value.dtype().tfName(), value.shape());
      }
    }
  }

  private static long rows(long size, boolean dropRemainder) {
    return dropRemainder ? size : Shape.UNKNOWN_DIMENSION;
  }

  private static Tensor zero(DataType type) {
    return type == DataType.STRING
        ? Tensor.scalar("")
        : Tensor.wrap(type, Shape.SCALAR, type.kind().newArray(1));
  }
}

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
import java.util.function.Function;

/** Builds the nodes of {@code batch} and {@code paddedBatch}. */
final class Batches {
  private Batches() {}

  static Dataset of(Dataset input, long size, boolean dropRemainder) {
    return batched(
        input,
        size,
        dropRemainder,
        (graph, rows) ->
            graph
                .op("BatchDatasetV2")
                .input(rows)
                .input(Tensor.scalar(size))
                .input(Tensor.scalar(dropRemainder)));
  }

  /** Batches of which up to {@code calls} are made at the same time. */
  static Dataset parallel(Dataset input, long size, boolean dropRemainder, long calls) {
    return batched(
        input,
        size,
        dropRemainder,
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

  private static Dataset batched(
      Dataset input, long size, boolean dropRemainder, Batching batching) {
    input.structure().checkTensors("batch");
    Structure batched =
        input.structure().mapShapes(shape -> shape.prepend(rows(size, dropRemainder)));
    return new Dataset(
        batched,
        DatasetNodeBuilder.on(
            input, (graph, rows) -> DatasetNodeBuilder.typed(batching.node(graph, rows), batched)));
  }

  /** Batches of {@code size} elements, each component padded as {@code padding} states. */
  static Dataset padded(Dataset input, long size, boolean dropRemainder, Padding padding) {
    List<Shape> own = input.structure().shapes();
    List<Shape> shapes = padding.shapes().isEmpty() ? own : padding.shapes();
    checkCount("padded shapes", shapes.size(), own.size());
    for (int i = 0; i < shapes.size(); i++) {
      if (shapes.get(i).isUnknownRank()) {
        throw StatusException.invalidArgument(
            "component %d has an unknown rank: name the shape to pad it to", i);
      }
    }
    return padded(
        input,
        size,
        dropRemainder,
        shapes,
        graph -> shapes.stream().map(s -> graph.constant(Tensor.vector(s.dimensions()))).toList(),
        padding.values());
  }

  /**
   * Batches of elements, padded to shapes that a graph may compute.
   *
   * @param shapes what is known of the padded shapes
   * @param computed adds a vector of int64 for each of them
   * @param values the padding of each component; if empty, zeros and empty strings
   */
  static Dataset padded(
      Dataset input,
      long size,
      boolean dropRemainder,
      List<Shape> shapes,
      Function<GraphBuilder, List<Output>> computed,
      List<Tensor> values) {
    input.structure().checkTensors("padded_batch");
    List<DataType> types = input.structure().types();
    List<Tensor> paddings = values.isEmpty() ? types.stream().map(Batches::zero).toList() : values;
    checkValues(paddings, types);
    List<Shape> remaining = new ArrayList<>(shapes);
    Structure batched =
        input
            .structure()
            .mapShapes(_ -> remaining.removeFirst().prepend(rows(size, dropRemainder)));
    return new Dataset(
        batched,
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("PaddedBatchDatasetV2")
                        .input(rows)
                        .input(Tensor.scalar(size))
                        .inputs(computed.apply(graph))
                        .constants(paddings)
                        .input(Tensor.scalar(dropRemainder)),
                    batched,
                    "Toutput_types")));
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

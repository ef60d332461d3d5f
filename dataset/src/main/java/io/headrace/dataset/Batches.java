package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Builds the nodes of {@code batch} and {@code paddedBatch}. */
final class Batches {
  private Batches() {}

  static Dataset of(Dataset input, long size, boolean dropRemainder) {
    Structure batched =
        input.structure().mapShapes(shape -> shape.prepend(rows(size, dropRemainder)));
    return new Dataset(
        batched,
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("BatchDatasetV2")
                        .input(rows)
                        .input(Tensor.scalar(size))
                        .input(Tensor.scalar(dropRemainder)),
                    batched)));
  }

  /** Batches of {@code size} elements, each component padded to its shape in {@code shapes}. */
  static Dataset padded(Dataset input, long size, boolean dropRemainder, List<Shape> shapes) {
    List<DataType> types = input.structure().types();
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
                        .inputs(
                            shapes.stream()
                                .map(s -> graph.constant(Tensor.vector(s.dimensions())))
                                .toList())
                        .inputs(types.stream().map(type -> padding(graph, type)).toList())
                        .input(Tensor.scalar(dropRemainder)),
                    batched,
                    "Toutput_types")));
  }

  private static long rows(long size, boolean dropRemainder) {
    return dropRemainder ? size : Shape.UNKNOWN_DIMENSION;
  }

  private static Output padding(GraphBuilder graph, DataType type) {
    return graph.constant(
        type == DataType.STRING
            ? Tensor.scalar("")
            : Tensor.wrap(type, Shape.SCALAR, type.kind().newArray(1)));
  }
}

package io.headrace.dataset;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;

/** Builds the nodes of {@code unbatch} and {@code rebatch}. */
final class Rebatches {
  private Rebatches() {}

  /** One element for each slice of the components of {@code input} along the first dimension. */
  static Dataset unbatch(Dataset input) {
    checkBatches("unbatch", input.structure());
    Structure rows = input.structure().mapShapes(shape -> shape.dropFirst(1));
    return new Dataset(
        rows,
        DatasetNodeBuilder.on(
            input,
            (graph, batches) ->
                DatasetNodeBuilder.typed(graph.op("UnbatchDataset").input(batches), rows)));
  }

  /** The rows of {@code input} in batches of {@code sizes}, in turn. */
  static Dataset rebatch(Dataset input, boolean dropRemainder, long... sizes) {
    checkBatches("rebatch", input.structure());
    if (sizes.length == 0) {
      throw StatusException.invalidArgument("rebatch needs a batch size");
    }
    boolean known = dropRemainder && LongStream.of(sizes).distinct().count() == 1;
    long rows = known ? sizes[0] : Shape.UNKNOWN_DIMENSION;
    Structure batches =
        input
            .structure()
            .mapShapes(shape -> shape.isUnknownRank() ? shape : shape.dropFirst(1).prepend(rows));
    return new Dataset(
        batches,
        DatasetNodeBuilder.on(
            input,
            (graph, given) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("RebatchDatasetV2")
                        .input(given)
                        .input(sizes.length == 1 ? Tensor.scalar(sizes[0]) : Tensor.vector(sizes))
                        .input(Tensor.scalar(dropRemainder)),
                    batches)));
  }

  private static void checkBatches(String name, Structure structure) {
    structure.checkTensors(name);
    List<Shape> shapes = structure.shapes();
    for (int i = 0; i < shapes.size(); i++) {
      if (shapes.get(i).rank() == 0 && !shapes.get(i).isUnknownRank()) {
        throw StatusException.invalidArgument(
            "%s takes batches, and component %d is a scalar: %s", name, i, structure);
      }
    }
  }
}

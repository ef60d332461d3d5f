package io.headrace.dataset;

import io.headrace.runtime.tensor.Tensor;

/** Builds the node of {@code window}. */
final class Windows {
  private Windows() {}

  /** Elements with a dataset in the place of each component of {@code input}. */
  static Dataset of(Dataset input, Window how) {
    Structure windows = input.structure().mapLeaves(Structure.Nested::new);
    return new Dataset(
        windows,
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("WindowDataset")
                        .input(rows)
                        .input(Tensor.scalar(how.size()))
                        .input(Tensor.scalar(how.shift()))
                        .input(Tensor.scalar(how.stride()))
                        .input(Tensor.scalar(how.dropsRemainder())),
                    windows)));
  }
}

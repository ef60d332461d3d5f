package io.headrace.dataset;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/** Builds the nodes of datasets of random numbers. */
final class RandomSource {
  private static final Structure NUMBER = new Structure.Component(DataType.INT64, Shape.SCALAR);

  private RandomSource() {}

  /** TensorFlow's numbers for {@code seed}. */
  static Dataset of(long seed, boolean rerandomizeEachIteration) {
    return of(Dataset.DEFAULT_GRAPH_SEED, seed, rerandomizeEachIteration);
  }

  /** Numbers that differ from dataset to dataset. */
  static Dataset unseeded(boolean rerandomizeEachIteration) {
    return of(0, 0, rerandomizeEachIteration);
  }

  private static Dataset of(long graphSeed, long seed, boolean rerandomizeEachIteration) {
    return new Dataset(
        NUMBER,
        target -> {
          var op =
              target.graph().op(rerandomizeEachIteration ? "RandomDatasetV2" : "RandomDataset");
          op.input(Tensor.scalar(graphSeed)).input(Tensor.scalar(seed));
          if (rerandomizeEachIteration) {
            op.node("DummySeedGenerator").attr("rerandomize_each_iteration", true);
          }
          return DatasetNodeBuilder.typed(op, NUMBER);
        });
  }
}

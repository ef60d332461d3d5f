package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Builds the nodes of {@code sampleFromDatasets} and {@code chooseFromDatasets}. */
final class DirectedInterleave {
  private DirectedInterleave() {}

  /** The next element of the input whose index {@code choices} yields, in turn. */
  static Dataset choose(List<Dataset> inputs, Dataset choices, boolean stopOnEmptyDataset) {
    if (!choices.structure().types().equals(List.of(DataType.INT64))
        || choices.structure().shapes().getFirst().rank() > 0) {
      throw StatusException.invalidArgument(
          "the choices must be scalars of int64, the indices of datasets, and are %s",
          choices.structure());
    }
    Structure common = common(inputs);
    return new Dataset(
        common,
        target ->
            DatasetNodeBuilder.typed(
                target
                    .graph()
                    .op("DirectedInterleaveDataset")
                    .input(target.build(choices))
                    .inputs(inputs.stream().map(target::build).toList())
                    .attr("N", inputs.size())
                    .attr("stop_on_empty_dataset", stopOnEmptyDataset),
                common));
  }

  private static Structure common(List<Dataset> inputs) {
    if (inputs.isEmpty()) {
      throw StatusException.invalidArgument("there must be at least one dataset to choose from");
    }
    Structure common = inputs.getFirst().structure();
    for (Dataset input : inputs) {
      common = ZipAndConcatenate.common(common, input.structure(), "chosen from");
    }
    return common;
  }

  /** Elements of {@code inputs}, drawn with the probabilities that {@code how} states. */
  static Dataset sample(List<Dataset> inputs, Sampling how) {
    List<Double> weights =
        how.weights().isEmpty() ? inputs.stream().map(_ -> 1.0).toList() : how.weights();
    if (weights.size() != inputs.size()) {
      throw StatusException.invalidArgument(
          "there must be a weight for each of %d datasets, and there are %d",
          inputs.size(), weights.size());
    }
    List<Dataset> drawn = new ArrayList<>();
    List<Double> positive = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      if (weights.get(i) > 0) {
        drawn.add(inputs.get(i));
        positive.add(weights.get(i));
      }
    }
    common(inputs);
    if (drawn.size() < 2) {
      return drawn.isEmpty() ? inputs.getFirst().take(0) : drawn.getFirst();
    }
    return choose(drawn, draws(positive, how), how.stopOnEmptyDataset());
  }

  /** The indices of the datasets to read: TensorFlow's draws for the seed. */
  private static Dataset draws(List<Double> weights, Sampling how) {
    Tensor logits = logits(weights);
    return seeds(how).map(seed -> draw(Ops.constant(logits), seed));
  }

  private static Dataset seeds(Sampling how) {
    Dataset numbers =
        how.seeded()
            ? RandomSource.of(how.seed(), how.rerandomizeEachIteration())
            : RandomSource.unseeded(how.rerandomizeEachIteration());
    return numbers.batch(2);
  }

  private static Output draw(Output logits, Output seed) {
    Output drawn =
        GraphBuilder.current()
            .op("StatelessMultinomial")
            .input(logits)
            .input(Tensor.scalar(1))
            .input(seed)
            .attr("output_dtype", DataType.INT64)
            .build();
    return drawn.reshape();
  }

  /**
   * Elements of {@code inputs}, each drawn with the next of {@code logits}: rows of logarithms of
   * the inputs' probabilities.
   */
  static Dataset sample(List<Dataset> inputs, Dataset logits, Sampling how) {
    Dataset choices = Dataset.zip(logits, seeds(how)).map((row, seed) -> draw(row, seed));
    return choose(inputs, choices, how.stopOnEmptyDataset());
  }

  /** One row of the logarithms, in single precision, in which TensorFlow computes them. */
  private static Tensor logits(List<Double> weights) {
    float[] logits = new float[weights.size()];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = (float) Math.log((float) (double) weights.get(i));
    }
    return Tensor.wrap(DataType.FLOAT32, Shape.of(1, logits.length), logits);
  }
}

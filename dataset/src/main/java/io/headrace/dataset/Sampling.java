package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The parameters of {@link Dataset#sampleFromDatasets}.
 *
 * @param weights the relative probability of each dataset; all are as likely if it is empty
 * @param seed TensorFlow's seed, which gives TensorFlow's draws; 0 if not {@code seeded}
 * @param seeded whether {@code seed} applies; otherwise each pass draws at random
 * @param stopOnEmptyDataset whether the first dataset that ends, ends the sampling; otherwise the
 *     others go on, and draws of an ended dataset are skipped
 * @param rerandomizeEachIteration whether each pass over a seeded dataset draws anew
 */
public record Sampling(
    List<Double> weights,
    long seed,
    boolean seeded,
    boolean stopOnEmptyDataset,
    boolean rerandomizeEachIteration) {
  /** Draws each dataset as often, at random, and goes on when one has ended. */
  public static final Sampling UNIFORM = new Sampling(List.of(), 0, false, false, false);

  /**
   * Copies the weights.
   *
   * @throws StatusException INVALID_ARGUMENT if one is negative or no number
   */
  public Sampling {
    requireNonNull(weights, "weights is null");
    weights = List.copyOf(weights);
    for (double weight : weights) {
      if (!(weight >= 0) || Double.isInfinite(weight)) {
        throw StatusException.invalidArgument(
            "the weight of a dataset must be finite and at least 0, and one is %s", weight);
      }
    }
  }

  /** Draws dataset {@code i} with a probability in proportion to {@code weights[i]}. */
  public static Sampling weights(double... weights) {
    requireNonNull(weights, "weights is null");
    return new Sampling(DoubleStream.of(weights).boxed().toList(), 0, false, false, false);
  }

  /** Draws in TensorFlow's order for {@code newSeed}, the same in each pass. */
  public Sampling seed(long newSeed) {
    return new Sampling(weights, newSeed, true, stopOnEmptyDataset, rerandomizeEachIteration);
  }

  /** Ends with the first dataset that ends. */
  public Sampling stopOnEmpty() {
    return new Sampling(weights, seed, seeded, true, rerandomizeEachIteration);
  }

  /** Draws anew in each pass. */
  public Sampling rerandomize() {
    return new Sampling(weights, seed, seeded, stopOnEmptyDataset, true);
  }
}

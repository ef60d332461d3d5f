package io.headrace.kernels.nn;

import io.headrace.kernels.random.PhiloxStream;

/** A distribution given by a weight for each class. */
final class FixedUnigrams extends RangeSampler {
  private final float[] weights;
  private final float total;
  private final AliasTable table;

  /**
   * The distribution of {@code weights}.
   *
   * @param total the sum of the weights, by which their probabilities are told
   */
  FixedUnigrams(float[] weights, float total) {
    super(weights.length);
    this.weights = weights;
    this.total = total;
    this.table = new AliasTable(weights);
  }

  @Override
  long sample(PhiloxStream stream) {
    return table.sample(stream);
  }

  @Override
  float probability(long value) {
    return weights[(int) value] / total;
  }
}

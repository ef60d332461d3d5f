package io.headrace.kernels.nn;

import io.headrace.kernels.random.PhiloxStream;
import java.util.Arrays;

/**
 * A discrete distribution from which a sample takes two random numbers: Walker's alias method, with
 * the pairs of TensorFlow, so that the same random numbers give the same samples.
 */
final class AliasTable {
  private final float[] probabilities;
  private final int[] aliases;

  /** The distribution of the indices of {@code weights}, in proportion to these. */
  AliasTable(float[] weights) {
    int n = weights.length;
    this.probabilities = new float[n];
    this.aliases = new int[n];
    double sum = 0;
    for (float weight : weights) {
      sum += weight;
    }
    double[] shares = new double[n];
    Pending low = new Pending(n);
    Pending high = new Pending(n);
    for (int i = 0; i < n; i++) {
      shares[i] = weights[i] * n / sum;
      (shares[i] < 1 ? low : high).push(i);
    }
    while (low.size > 0 && high.size > 0) {
      int lower = low.pop();
      int higher = high.pop();
      aliases[lower] = higher;
      shares[higher] -= 1 - shares[lower];
      (shares[higher] < 1 ? low : high).push(higher);
    }
    for (int i = 0; i < n; i++) {
      probabilities[i] = (float) shares[i];
    }
    fill(low);
    fill(high);
  }

  /** Sets what is left over, with shares of 1 but for rounding. */
  private void fill(Pending left) {
    for (int index : Arrays.copyOf(left.indices, left.size)) {
      probabilities[index] = 1;
      aliases[index] = index;
    }
  }

  int sample(PhiloxStream stream) {
    float draw = stream.nextFloat();
    int index = stream.nextUnbiased(probabilities.length);
    return draw < probabilities[index] ? index : aliases[index];
  }

  /** A stack of indices that have no pair yet. */
  private static final class Pending {
    final int[] indices;
    int size;

    Pending(int capacity) {
      this.indices = new int[capacity];
    }

    void push(int index) {
      indices[size++] = index;
    }

    int pop() {
      return indices[--size];
    }
  }
}

package io.headrace.kernels.nn;

import io.headrace.kernels.random.PhiloxStream;

/**
 * A discrete distribution from which a sample takes two random numbers: Walker's alias method, with
 * the pairs of TensorFlow, so that the same random numbers give the same samples.
 */
final class AliasTable {
  /** Bytes that making a table takes for each index: those of the fields and of what they need. */
  static final int BYTES_PER_INDEX = 4 + 4 + 8 + 4;

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
    Pending pending = new Pending(n);
    for (int i = 0; i < n; i++) {
      shares[i] = weights[i] * n / sum;
      pending.push(i, shares[i]);
    }
    while (pending.hasPair()) {
      int lower = pending.popLow();
      int higher = pending.popHigh();
      aliases[lower] = higher;
      shares[higher] -= 1 - shares[lower];
      pending.push(higher, shares[higher]);
    }
    for (int i = 0; i < n; i++) {
      probabilities[i] = (float) shares[i];
    }
    // The rest has shares of 1 but for rounding.
    while (pending.lowEnd > 0) {
      setWhole(pending.popLow());
    }
    while (pending.highStart < n) {
      setWhole(pending.popHigh());
    }
  }

  private void setWhole(int index) {
    probabilities[index] = 1;
    aliases[index] = index;
  }

  int sample(PhiloxStream stream) {
    float draw = stream.nextFloat();
    int index = stream.nextUnbiased(probabilities.length);
    return draw < probabilities[index] ? index : aliases[index];
  }

  /** The indices that have no pair yet: in one array, a stack of the low and one of the others. */
  private static final class Pending {
    private final int[] indices;
    private int lowEnd;
    private int highStart;

    Pending(int capacity) {
      this.indices = new int[capacity];
      this.highStart = capacity;
    }

    void push(int index, double share) {
      if (share < 1) {
        indices[lowEnd++] = index;
      } else {
        indices[--highStart] = index;
      }
    }

    boolean hasPair() {
      return lowEnd > 0 && highStart < indices.length;
    }

    int popLow() {
      return indices[--lowEnd];
    }

    int popHigh() {
      return indices[highStart++];
    }
  }
}

package io.headrace.kernels.random;

import io.headrace.kernels.kit.Numbers;
import io.headrace.runtime.tensor.DataType;

/**
 * Draws one count after the other for {@link PoissonOps} and {@link BinomialOps}: uniform numbers
 * from blocks that belong to one output alone. Used by one thread.
 */
final class CountDraw {
  /** Numbers that are tried before a count is given up, which only odd parameters come to. */
  static final int MAX_TRIES = 100_000;

  private final Philox base;
  private final double[] uniforms = new double[2];
  private final int[] block = new int[Philox.BLOCK];
  private Philox generator;
  private int left;

  /** Draws from the blocks that {@code base} is at. */
  CountDraw(Philox base) {
    this.base = base;
    this.generator = base;
  }

  /** Begins anew, {@code blocks} blocks after the first. */
  void seek(long blocks) {
    generator = base.copy();
    generator.skip(blocks);
    left = 0;
  }

  /** The next number from 0 up to 1; those of a block come last first. */
  double uniform() {
    if (left == 0) {
      generator.next(block);
      uniforms[0] = Distributions.unitDouble(block[0], block[1]);
      uniforms[1] = Distributions.unitDouble(block[2], block[3]);
      left = uniforms.length;
    }
    return uniforms[--left];
  }

  /** Sets element {@code at} to {@code count}; NaN is the least number of an integer dtype. */
  static void set(DataType dtype, Object array, int at, double count) {
    if (dtype.isFloating()) {
      Numbers.setFloating(dtype, array, at, count);
    } else if (dtype == DataType.INT32) {
      ((int[]) array)[at] = Double.isNaN(count) ? Integer.MIN_VALUE : (int) count;
    } else {
      ((long[]) array)[at] = Double.isNaN(count) ? Long.MIN_VALUE : (long) count;
    }
  }
}

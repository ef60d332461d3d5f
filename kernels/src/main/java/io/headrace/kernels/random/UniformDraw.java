package io.headrace.kernels.random;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.tensor.DataType;

/**
 * The uniform samples that {@link RandomPoissonOps} and {@link RandomBinomialOps} draw counts from.
 * Each output element has blocks of its own. Not thread-safe.
 */
final class UniformDraw {
  /** Tries before the sampler gives up on an element; only degenerate parameters need as many. */
  static final int MAX_TRIES = 100_000;

  private final Philox base;
  private final double[] uniforms = new double[2];
  private final int[] block = new int[Philox.BLOCK];
  private Philox generator;
  private int left;

  /** Draws from {@code base}, beginning with its next block. */
  UniformDraw(Philox base) {
    this.base = base;
    this.generator = base;
  }

  /** Moves to the block {@code blocks} after the first. */
  void seek(long blocks) {
    generator = base.copy();
    generator.skip(blocks);
    left = 0;
  }

  /** The next sample in [0, 1). The two samples of a block come in reverse order. */
  double uniform() {
    if (left == 0) {
      generator.next(block);
      uniforms[0] = Distributions.unitDouble(block[0], block[1]);
      uniforms[1] = Distributions.unitDouble(block[2], block[3]);
      left = uniforms.length;
    }
    return uniforms[--left];
  }

  /** Sets element {@code at} to {@code count}; NaN becomes the minimum of an integer dtype. */
  static void set(DataType dtype, Object array, int at, double count) {
    if (dtype.isFloating()) {
      NumericElements.setFloating(dtype, array, at, count);
    } else if (dtype == DataType.INT32) {
      ((int[]) array)[at] = Double.isNaN(count) ? Integer.MIN_VALUE : (int) count;
    } else {
      ((long[]) array)[at] = Double.isNaN(count) ? Long.MIN_VALUE : (long) count;
    }
  }
}

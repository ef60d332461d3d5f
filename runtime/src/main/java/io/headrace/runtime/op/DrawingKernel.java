package io.headrace.runtime.op;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;

/**
 * A kernel of a CPU that fills a tensor with random numbers of a Philox4x32-10, and which tells the
 * generator's state, so that another device can draw the same ones.
 */
public interface DrawingKernel extends Kernel.Sync {
  /**
   * The numbers of the output. The generator of a stateful op is then behind these numbers: the
   * caller draws them, and does not call {@link #compute} for that.
   *
   * @throws io.headrace.runtime.status.StatusException as {@link #compute}
   */
  Draw draw(KernelCall call);

  /** Kinds of numbers. */
  enum SampleKind {
    /** Floating-point numbers from 0 to below 1. */
    UNIFORM,
    /** Integers from {@link Draw#low} on, {@link Draw#range} ones. */
    UNIFORM_INTEGERS,
    /** All bits of integers. */
    BITS,
    /** The standard normal distribution. */
    NORMAL,
    /**
     * The same, drawn again while it is 2 or more from 0: the numbers that a block would make have
     * the blocks of 256 samples each.
     */
    TRUNCATED_NORMAL
  }

  /**
   * Numbers of a generator, beginning with a block of its own.
   *
   * @param kind of which kind they are
   * @param dtype their dtype
   * @param shape that of the output
   * @param key the generator's key
   * @param counterLow the low half of the first block's counter
   * @param counterHigh the high half
   * @param low the least integer
   * @param range how many integers there are, an unsigned number; 0 for other kinds
   */
  record Draw(
      SampleKind kind,
      DataType dtype,
      Shape shape,
      long key,
      long counterLow,
      long counterHigh,
      long low,
      long range) {}
}

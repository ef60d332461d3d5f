package io.headrace.runtime.op;

import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;

/**
 * A kernel of a CPU that makes images [batch, height, width, channels] of floats from weighted sums
 * of an input's pixels, and which tells the weights, so that another device can add up by the same
 * rules: first along columns, then along rows, in the order of the input's pixels.
 */
public interface ResamplingKernel extends Kernel.Sync {
  /**
   * How the output is made of input 0. Reads only the shape of that.
   *
   * @throws io.headrace.runtime.status.StatusException as {@link #compute}
   */
  Resampling resampling(KernelCall call);

  /**
   * How images are made.
   *
   * @param shape that of the output
   * @param rows the input rows of each output row
   * @param columns the input columns of each output column
   */
  record Resampling(Shape shape, Taps rows, Taps columns) {}

  /**
   * The input pixels along an axis that each output pixel is a sum of.
   *
   * @param starts for each output pixel, the first of its input pixels, which are adjacent; int32
   * @param firsts for each output pixel, its first weight, and one more, the number of weights;
   *     int32
   * @param weights the weights; float
   */
  record Taps(Tensor starts, Tensor firsts, Tensor weights) {}
}

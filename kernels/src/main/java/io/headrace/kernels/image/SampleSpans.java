package io.headrace.kernels.image;

import io.headrace.runtime.op.ResamplingKernel.Taps;
import io.headrace.runtime.tensor.Tensor;

/**
 * The taps of ScaleAndTranslate along one axis: for each output row or column, a run of input rows
 * or columns and their weights.
 */
final class SampleSpans {
  /** Weights with a sum below this become 0 instead of being normalized. */
  private static final float SMALLEST_SUM = 1000f * Float.MIN_NORMAL;

  final int[] starts;
  final float[][] weights;

  private SampleSpans(int size) {
    this.starts = new int[size];
    this.weights = new float[size][];
  }

  /**
   * The spans of an axis.
   *
   * @param in input size
   * @param out output size
   * @param scale output pixels per input pixel
   * @param translation in output pixels
   * @param antialias whether downscaling widens the kernel to cover all input pixels
   */
  static SampleSpans of(
      SamplingKernel kernel, int in, int out, float scale, float translation, boolean antialias) {
    SampleSpans spans = new SampleSpans(out);
    float inverse = (float) (1.0 / scale);
    float shift = -inverse * translation;
    float kernelScale = antialias ? Math.max(inverse, 1f) : 1f;
    float reach = kernel.radius() * kernelScale;
    for (int i = 0; i < out; i++) {
      float at = (i + 0.5f) * inverse + shift;
      if (at >= 0 && at <= in) {
        int start = Math.clamp((long) Math.ceil(at - reach - 0.5f), 0, in - 1);
        int end = Math.clamp((long) Math.floor(at + reach - 0.5f), 0, in - 1) + 1;
        spans.starts[i] = start;
        spans.weights[i] = weights(kernel, start, end, at, 1f / kernelScale);
      } else {
        spans.weights[i] = new float[0]; // outside of the image
      }
    }
    return spans;
  }

  private static float[] weights(
      SamplingKernel kernel, int start, int end, float at, float distanceScale) {
    float[] weights = new float[Math.max(0, end - start)];
    float sum = 0;
    for (int i = 0; i < weights.length; i++) {
      float distance = start + i + 0.5f - at;
      weights[i] = kernel.weight(Math.abs(distance * distanceScale));
      sum += weights[i];
    }
    float factor = Math.abs(sum) >= SMALLEST_SUM ? 1f / sum : 0;
    for (int i = 0; i < weights.length; i++) {
      weights[i] *= factor;
    }
    return weights;
  }

  /** The same weights by input row or column: a run of the {@code in} rows' output rows each. */
  SampleSpans transposed(int in) {
    int[] ends = new int[in];
    SampleSpans result = new SampleSpans(in);
    for (int i = 0; i < weights.length; i++) {
      for (int k = 0; k < weights[i].length; k++) {
        int to = starts[i] + k;
        if (weights[i][k] != 0) {
          result.starts[to] = ends[to] == 0 ? i : result.starts[to];
          ends[to] = i + 1;
        }
      }
    }
    for (int to = 0; to < in; to++) {
      result.weights[to] = new float[ends[to] - result.starts[to]];
    }
    for (int i = 0; i < weights.length; i++) {
      for (int k = 0; k < weights[i].length; k++) {
        if (weights[i][k] != 0) {
          int to = starts[i] + k;
          result.weights[to][i - result.starts[to]] = weights[i][k];
        }
      }
    }
    return result;
  }

  /** The same as tensors. */
  Taps taps() {
    int[] firsts = new int[weights.length + 1];
    for (int i = 0; i < weights.length; i++) {
      firsts[i + 1] = firsts[i] + weights[i].length;
    }
    float[] all = new float[firsts[weights.length]];
    for (int i = 0; i < weights.length; i++) {
      System.arraycopy(weights[i], 0, all, firsts[i], weights[i].length);
    }
    return new Taps(Tensor.vector(starts), Tensor.vector(firsts), Tensor.vector(all));
  }
}

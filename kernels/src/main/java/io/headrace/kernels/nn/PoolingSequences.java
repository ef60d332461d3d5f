package io.headrace.kernels.nn;

import io.headrace.kernels.random.PhiloxStream;
import io.headrace.kernels.random.SharedPhilox;
import java.util.Arrays;

/**
 * Random boundaries of the regions of fractional pooling (Graham, "Fractional Max-Pooling", 2014),
 * equal to TensorFlow's for the same seeds. Regions have one of two adjacent sizes.
 */
final class PoolingSequences {
  private PoolingSequences() {}

  /** The boundaries of {@code out} regions over {@code in} lines, from 0 to {@code in}. */
  static long[] of(int in, int out, boolean pseudoRandom, SharedPhilox generator) {
    return pseudoRandom ? pseudoRandom(in, out, generator) : random(in, out, generator);
  }

  /** Multiples of the ratio with one random offset, rounded up. */
  private static long[] pseudoRandom(int in, int out, SharedPhilox generator) {
    double ratio = (double) in / out;
    int least = in / out;
    // The offsets for which neither the first nor the last region has another size.
    double fromFirst = (least + 2) / ratio - 1;
    double fromLast = (in + 1 - least) / ratio - (out - 1);
    double offset =
        new PhiloxStream(generator.reserveSamples(2)).nextDouble() * Math.min(fromFirst, fromLast);
    long[] boundaries = new long[out + 1];
    boundaries[out] = in;
    for (int i = 1; i < out; i++) {
      boundaries[i] = (long) Math.ceil(ratio * (i + offset)) - 1;
    }
    return boundaries;
  }

  /** Regions in random order. */
  private static long[] random(int in, int out, SharedPhilox generator) {
    int[] sizes = new int[out];
    Arrays.fill(sizes, in / out);
    for (int i = 0; i < in % out; i++) {
      sizes[i]++;
    }
    PhiloxStream samples = new PhiloxStream(generator.reserveSamples(out));
    for (int i = 0; i < out - 1; i++) {
      int j = i + samples.nextBelow(out - i);
      int swapped = sizes[i];
      sizes[i] = sizes[j];
      sizes[j] = swapped;
    }
    long[] boundaries = new long[out + 1];
    for (int i = 0; i < out; i++) {
      boundaries[i + 1] = boundaries[i] + sizes[i];
    }
    return boundaries;
  }
}

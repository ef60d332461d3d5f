package io.headrace.kernels.summary;

import io.headrace.proto.tensorflow.HistogramProto;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * Counts values in TensorFlow's histogram buckets (tsl/lib/histogram/histogram.h): positive limits
 * grow by ten percent from 1e-12 to 1e20, negative limits mirror them, and the outermost buckets
 * take the rest. Used by one thread.
 */
final class Histogram {
  /** Upper bucket limits, exclusive. */
  private static final double[] LIMITS = limits();

  private final double[] buckets = new double[LIMITS.length];
  private double min = Double.MAX_VALUE;
  private double max = -Double.MAX_VALUE;
  private double count;
  private double sum;
  private double sumOfSquares;

  /** An empty histogram. */
  public Histogram() {}

  private static double[] limits() {
    double[] positive =
        DoubleStream.concat(
                DoubleStream.iterate(1e-12, limit -> limit < 1e20, limit -> limit * 1.1),
                DoubleStream.of(Double.MAX_VALUE))
            .toArray();
    double[] limits = new double[2 * positive.length + 1];
    for (int i = 0; i < positive.length; i++) {
      limits[positive.length + 1 + i] = positive[i];
      limits[positive.length - 1 - i] = -positive[i];
    }
    return limits;
  }

  /** Counts {@code value}, which must be finite. */
  public void add(double value) {
    buckets[bucket(value)]++;
    // Not Math.min, for which -0 is less than 0.
    min = value < min ? value : min;
    max = value > max ? value : max;
    count++;
    sum += value;
    sumOfSquares += value * value;
  }

  private static int bucket(double value) {
    // + 0.0, because the search tells -0 from 0, which no limit does.
    int found = Arrays.binarySearch(LIMITS, value + 0.0);
    int bucket = found < 0 ? -found - 1 : found + 1;
    return Math.min(bucket, LIMITS.length - 1);
  }

  /** The counts, with runs of empty buckets merged. */
  public HistogramProto toProto() {
    HistogramProto.Builder proto =
        HistogramProto.newBuilder()
            .setMin(min)
            .setMax(max)
            .setNum(count)
            .setSum(sum)
            .setSumSquares(sumOfSquares);
    for (int i = 0; i < buckets.length; i++) {
      boolean nextIsEmpty = i + 1 < buckets.length && buckets[i + 1] == 0;
      if (buckets[i] > 0 || !nextIsEmpty) {
        proto.addBucketLimit(LIMITS[i]).addBucket(buckets[i]);
      }
    }
    return proto.build();
  }
}

package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.KeyIndex;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;

/** A distribution over the classes from 0 on, from which candidates are sampled. */
abstract class RangeSampler {
  /** Samples between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 12;

  private final long range;

  /** A distribution over {@code range} classes. */
  RangeSampler(long range) {
    this.range = range;
  }

  /**
   * Sampled classes.
   *
   * @param classes the classes, a vector
   * @param expected the expected count of each of them in the samples
   * @param trueExpected the expected count of each true class
   */
  record Samples(Tensor classes, Tensor expected, Tensor trueExpected) {}

  /** The number of classes. */
  final long range() {
    return range;
  }

  abstract long sample(PhiloxStream stream);

  abstract float probability(long value);

  /**
   * Samples {@code count} classes, distinct ones if {@code unique}, of which there must be enough.
   */
  Samples samples(
      PhiloxStream stream, int count, boolean unique, Tensor trueClasses, Cancellation stop) {
    Shape shape = Shape.of(count);
    long[] sampled = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int tries = count;
    if (unique) {
      tries = sampleUnique(stream, sampled, stop);
    } else {
      for (int i = 0; i < count; i++) {
        if (i % CANCELLATION_STEP == 0) {
          stop.check();
        }
        sampled[i] = sample(stream);
      }
    }
    Tensor classes = Tensor.wrap(DataType.INT64, shape, sampled);
    return new Samples(
        classes, expected(classes, count, tries, stop), expected(trueClasses, count, tries, stop));
  }

  /** Fills {@code sampled} with distinct classes by rejection; returns the number of tries. */
  private int sampleUnique(PhiloxStream stream, long[] sampled, Cancellation stop) {
    KeyIndex used = KeyIndex.of(DataType.INT64);
    long[] value = new long[1];
    int tries = 0;
    while (used.size() < sampled.length) {
      if (tries % CANCELLATION_STEP == 0) {
        stop.check();
      }
      if (++tries == Integer.MAX_VALUE) {
        throw invalidArgument(
            "%d tries gave only %d distinct classes of %d", tries, used.size(), sampled.length);
      }
      value[0] = sample(stream);
      int before = used.size();
      used.put(value, 0);
      if (used.size() > before) {
        sampled[before] = value[0];
      }
    }
    return tries;
  }

  /** The expected count of each class in {@code tries} tries that gave {@code count} samples. */
  private Tensor expected(Tensor classes, int count, int tries, Cancellation stop) {
    float[] expected = (float[]) TensorLimit.allocate(DataType.FLOAT32, classes.shape());
    for (int i = 0; i < expected.length; i++) {
      if (i % CANCELLATION_STEP == 0) {
        stop.check();
      }
      float p = probability(classes.integer(i));
      expected[i] =
          tries == count ? p * count : -(float) Math.expm1(tries * (float) Math.log1p(-p));
    }
    return Tensor.wrap(DataType.FLOAT32, classes.shape(), expected);
  }

  /** Every class with the same probability. */
  static final class Uniform extends RangeSampler {
    Uniform(long range) {
      super(range);
    }

    @Override
    long sample(PhiloxStream stream) {
      return stream.nextBelow(range());
    }

    @Override
    float probability(long value) {
      return (float) (1.0 / range());
    }
  }

  /** Approximately Zipf's distribution. */
  static final class LogUniform extends RangeSampler {
    private final double logRange;

    LogUniform(long range) {
      super(range);
      this.logRange = Math.log1p((double) range);
    }

    @Override
    long sample(PhiloxStream stream) {
      return ((long) Math.exp(stream.nextDouble() * logRange) - 1) % range();
    }

    @Override
    float probability(long value) {
      return (float) (Math.log((value + 2.0) / (value + 1.0)) / logRange);
    }
  }

  /** Not a distribution: as many samples as there are classes, each class once. */
  static final class All extends RangeSampler {
    All(long range) {
      super(range);
    }

    @Override
    Samples samples(
        PhiloxStream stream, int count, boolean unique, Tensor trueClasses, Cancellation stop) {
      Shape shape = Shape.of(count);
      long[] classes = (long[]) TensorLimit.allocate(DataType.INT64, shape);
      for (int i = 0; i < count; i++) {
        classes[i] = i;
      }
      return new Samples(
          Tensor.wrap(DataType.INT64, shape, classes), ones(shape), ones(trueClasses.shape()));
    }

    private static Tensor ones(Shape shape) {
      float[] ones = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
      Arrays.fill(ones, 1);
      return Tensor.wrap(DataType.FLOAT32, shape, ones);
    }

    @Override
    long sample(PhiloxStream stream) {
      throw new UnsupportedOperationException("all classes are sampled at once");
    }

    @Override
    float probability(long value) {
      return 1;
    }
  }
}

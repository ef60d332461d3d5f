package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.random.PhiloxStream;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The distribution of the true classes that were seen so far, each class counted once more than it
 * was seen. Thread-safe.
 */
final class LearnedUnigrams extends RangeSampler {
  /** How long a call waits for another between two cancellation checks. */
  private static final long CANCELLATION_MILLIS = 20;

  /*
   * A Fenwick tree: counts[i] is how often the classes from i - lowestBit(i) to i - 1 were seen.
   * The rest of their counts, one each, is implied by their number.
   */
  private final int[] counts; // guarded by the lock
  private final int highestBit;
  private int total; // guarded by the lock

  private final ReentrantLock lock = new ReentrantLock();

  LearnedUnigrams(long range) {
    super(range);
    if (range >= Integer.MAX_VALUE) {
      throw invalidArgument(
          "range_max must be less than %d for unigram samplers, got %d", Integer.MAX_VALUE, range);
    }
    TensorLimit.check(DataType.INT32, Shape.of(range + 1));
    this.counts = new int[(int) range + 1];
    this.highestBit = Integer.highestOneBit((int) range);
    this.total = (int) range;
  }

  @Override
  Samples samples(
      PhiloxStream stream, int count, boolean unique, Tensor trueClasses, Cancellation stop) {
    acquire(stop);
    try {
      Samples samples = super.samples(stream, count, unique, trueClasses, stop);
      learn(trueClasses);
      return samples;
    } finally {
      lock.unlock();
    }
  }

  /** Locks, unless {@code stop} is cancelled first: another call may sample for minutes. */
  private void acquire(Cancellation stop) {
    try {
      while (!lock.tryLock(CANCELLATION_MILLIS, TimeUnit.MILLISECONDS)) {
        stop.check();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "the thread was interrupted", e);
    }
  }

  /** Counts {@code classes}, as long as the sum of the counts fits an int. */
  private void learn(Tensor classes) {
    int most = Math.min(classes.elements(), Integer.MAX_VALUE - total);
    for (int i = 0; i < most; i++) {
      for (int at = (int) classes.integer(i) + 1; at < counts.length; at += at & -at) {
        counts[at]++;
      }
    }
    total += most;
  }

  /** The class at whose count a draw from all counts, one after the other, ends. */
  @Override
  long sample(PhiloxStream stream) {
    int left = stream.nextUnbiased(total);
    int value = 0;
    for (int bit = highestBit; bit > 0; bit >>= 1) {
      int next = value + bit;
      if (next < counts.length && left >= counts[next] + bit) {
        left -= counts[next] + bit;
        value = next;
      }
    }
    return value;
  }

  @Override
  float probability(long value) {
    return (float) (1 + seenBelow((int) value + 1) - seenBelow((int) value)) / total;
  }

  /** How often the classes below {@code end} were seen. */
  private int seenBelow(int end) {
    int seen = 0;
    for (int at = end; at > 0; at -= at & -at) {
      seen += counts[at];
    }
    return seen;
  }
}

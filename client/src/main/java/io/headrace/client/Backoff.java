package io.headrace.client;

import java.util.random.RandomGenerator;

/** The delays between retries: TensorFlow's exponential back-off with jitter. */
final class Backoff {
  private static final double MIN_NANOS = 1e6;
  private static final double MAX_NANOS = 10e9;
  private static final double GROWTH = 1.3;
  private static final double FIXED_SHARE = 0.4;

  private final RandomGenerator random;

  Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** The delay before retry {@code attempt}, from 0 on, in nanoseconds: from about 1 ms to 10 s. */
  long nanos(int attempt) {
    double fixed = FIXED_SHARE * MIN_NANOS;
    double grown = Math.min(MIN_NANOS * Math.pow(GROWTH, attempt), MAX_NANOS - fixed);
    return (long) Math.max(fixed + (0.6 + 0.4 * random.nextDouble()) * grown, MIN_NANOS);
  }
}

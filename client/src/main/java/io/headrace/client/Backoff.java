package io.headrace.client;

import java.util.random.RandomGenerator;

/** How long to wait before trying again: stock TensorFlow's own rule. */
final class Backoff {
  private static final double MIN_NANOS = 1e6;
  private static final double MAX_NANOS = 10e9;
  private static final double GROWTH = 1.3;
  private static final double FIXED_SHARE = 0.4;

  private final RandomGenerator random;

  Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** Nanoseconds before retry {@code attempt}, counted from 0: about 1 ms first, 10 s at most. */
  long nanos(int attempt) {
    double fixed = FIXED_SHARE * MIN_NANOS;
    double grown = Math.min(MIN_NANOS * Math.pow(GROWTH, attempt), MAX_NANOS - fixed);
    return (long) Math.max(fixed + (0.6 + 0.4 * random.nextDouble()) * grown, MIN_NANOS);
  }
}

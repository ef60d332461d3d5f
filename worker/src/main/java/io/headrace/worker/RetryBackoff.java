package io.headrace.worker;

import java.time.Duration;

/** Exponential back-off: the delays between retries. Not thread-safe. */
final class RetryBackoff {
  private static final Duration INITIAL = Duration.ofMillis(10);
  private static final double FACTOR = 1.5;

  private final Duration longest;
  private Duration next = INITIAL;

  RetryBackoff(Duration longest) {
    this.longest = longest;
  }

  Duration next() {
    Duration now = next;
    Duration more = Duration.ofNanos((long) (now.toNanos() * FACTOR));
    next = more.compareTo(longest) < 0 ? more : longest;
    return now;
  }

  /** Restarts with the initial delay. */
  void reset() {
    next = INITIAL;
  }
}

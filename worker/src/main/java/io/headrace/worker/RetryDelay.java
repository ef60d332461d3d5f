package io.headrace.worker;

import java.time.Duration;

/** How long to wait before trying again: a little at first, more each time. Not thread-safe. */
final class RetryDelay {
  private static final Duration FIRST = Duration.ofMillis(10);
  private static final double FACTOR = 1.5;

  private final Duration longest;
  private Duration next = FIRST;

  RetryDelay(Duration longest) {
    this.longest = longest;
  }

  Duration next() {
    Duration now = next;
    Duration more = Duration.ofNanos((long) (now.toNanos() * FACTOR));
    next = more.compareTo(longest) < 0 ? more : longest;
    return now;
  }

  /** Begins anew. */
  void reset() {
    next = FIRST;
  }
}

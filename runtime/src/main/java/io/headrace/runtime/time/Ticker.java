package io.headrace.runtime.time;

/** A monotonic clock for measuring durations. Thread-safe. */
@FunctionalInterface
public interface Ticker {
  /**
   * Nanoseconds since an arbitrary origin. Compare by subtraction only, since the value may wrap.
   */
  long nanoTime();
}

package io.headrace.runtime.time;

/** Measures durations; its values mean nothing by themselves. Thread-safe. */
@FunctionalInterface
public interface Ticker {
  /** Nanoseconds since some moment. Compare by subtraction only: the value may wrap. */
  long nanoTime();
}

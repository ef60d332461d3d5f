package io.headrace.dispatcher.statistics;

/**
 * A reader's progress between two reports.
 *
 * @param fromNanos when the earlier one came; the time of the later one if that is the first
 * @param toNanos when the later one came
 * @param elements the elements that its user took
 * @param waitMillis how long the user waited for them
 */
public record ReadingInterval(long fromNanos, long toNanos, long elements, long waitMillis) {
  double seconds() {
    return (toNanos - fromNanos) / 1e9;
  }
}

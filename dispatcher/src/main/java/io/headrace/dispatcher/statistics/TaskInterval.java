package io.headrace.dispatcher.statistics;

/**
 * The load of a task between two reports.
 *
 * @param fromNanos when the earlier one came, or when the pass began
 * @param toNanos when the later one came
 * @param passNanos how long the pass ran between them: less if it ended
 * @param load the load between them; of its stages, while the pass ran
 */
public record TaskInterval(long fromNanos, long toNanos, long passNanos, TaskLoad.Window load) {
  double seconds() {
    return (toNanos - fromNanos) / 1e9;
  }

  double passSeconds() {
    return passNanos / 1e9;
  }
}

package io.headrace.cli;

import io.headrace.client.ReadStatistics;
import io.headrace.runtime.time.Ticker;
import java.util.Locale;
import java.util.Optional;

/** Formats the progress of a read: elements, elements per second, bytes, tasks. Not thread-safe. */
final class ReadProgress {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MEGABYTE = 1e6;

  private final ReadStatistics statistics;
  private final Ticker ticker;
  private final long startedNanos;
  private long lastNanos;
  private long lastElements;

  ReadProgress(ReadStatistics statistics, Ticker ticker) {
    this.statistics = statistics;
    this.ticker = ticker;
    this.startedNanos = ticker.nanoTime();
    this.lastNanos = startedNanos;
  }

  /** The job's guarantee, and why it is not stronger; empty before the read has begun. */
  Optional<String> promise() {
    String reason = statistics.guaranteeReason();
    return statistics
        .guarantee()
        .map(guarantee ->
            "read "
                + guarantee.name().toLowerCase(Locale.ROOT).replace('_', ' ')
                + (reason.isEmpty() ? "" : ": " + reason));
  }

  /** The progress so far, with the rate since the last call. */
  String now() {
    long nanos = ticker.nanoTime();
    long elements = statistics.elements();
    String text = line(elements, elements - lastElements, nanos - lastNanos);
    lastNanos = nanos;
    lastElements = elements;
    return text + ", " + statistics.tasks() + " tasks";
  }

  /** The totals, with the average rate. */
  String total() {
    long elements = statistics.elements();
    String text = line(elements, elements, ticker.nanoTime() - startedNanos);
    int workers = statistics.elementsByWorker().size();
    return text + ", from " + workers + (workers == 1 ? " worker" : " workers") + losses();
  }

  private String losses() {
    int lost = statistics.lostTasks().size();
    return lost == 0
        ? ""
        : ", %d tasks lost, with %d splits".formatted(lost, statistics.lostSplits());
  }

  private String line(long elements, long newElements, long nanos) {
    return String.format(
        Locale.ROOT,
        "%,d elements, %,.0f/s, %,.1f MB",
        elements,
        newElements * NANOS_PER_SECOND / Math.max(1, nanos),
        statistics.bytes() / MEGABYTE);
  }
}

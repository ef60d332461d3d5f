package io.headrace.cli;

import io.headrace.client.ReadStatistics;
import io.headrace.runtime.time.Ticker;
import java.util.Locale;

/** Says how a read goes: elements, how many a second, bytes, tasks. Not thread-safe. */
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

  /** How it goes, with the rate since this was called last. */
  String now() {
    long nanos = ticker.nanoTime();
    long elements = statistics.elements();
    String text = line(elements, elements - lastElements, nanos - lastNanos);
    lastNanos = nanos;
    lastElements = elements;
    return text + ", " + statistics.tasks() + " tasks";
  }

  /** How it went, with the rate over all. */
  String total() {
    long elements = statistics.elements();
    return line(elements, elements, ticker.nanoTime() - startedNanos)
        + ", "
        + statistics.elementsByWorker().size()
        + " workers";
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

package io.headrace.cli.metrics;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.headrace.runtime.time.Ticker;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Sends the metrics to a receiver, again and again, on a thread of its own. A receiver that does
 * not take them costs a warning every ten minutes; nothing waits for it, and nothing is kept for
 * it, since the next export has the sums of all before. Thread-safe.
 */
final class OtlpReader implements MetricReader {
  private static final Logger LOGGER = System.getLogger(OtlpReader.class.getName());

  /** The exporter's own messages, of which there is one for each failure; held, as JUL does not. */
  private static final java.util.logging.Logger EXPORTERS =
      java.util.logging.Logger.getLogger("io.opentelemetry.exporter");

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration WARN_PERIOD = Duration.ofMinutes(10);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);

  private final String url;
  private final Duration interval;
  private final Ticker ticker;
  private final MetricExporter exporter;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("otlp-export").factory());

  private volatile CollectionRegistration metrics = CollectionRegistration.noop();
  private volatile boolean failing;

  // Used on the thread only.
  private long warnedNanos;

  OtlpReader(OtlpConfig config, Ticker ticker) {
    EXPORTERS.setLevel(java.util.logging.Level.OFF);
    this.url = config.metricsUrl();
    this.interval = config.interval();
    this.ticker = ticker;
    this.exporter =
        OtlpHttpMetricExporter.builder()
            .setEndpoint(url)
            .setConnectTimeout(TIMEOUT)
            .setTimeout(TIMEOUT)
            .setRetryPolicy(null)
            .build();
  }

  @Override
  public void register(CollectionRegistration registration) {
    metrics = registration;
    var _ =
        thread.scheduleWithFixedDelay(
            () -> export(() -> {}), interval.toNanos(), interval.toNanos(), NANOSECONDS);
  }

  /**
   * Sends the present values.
   *
   * @param afterReading called when they have been read, or could not be
   */
  private void export(Runnable afterReading) {
    try {
      Collection<MetricData> all;
      try {
        all = metrics.collectAllMetrics();
      } finally {
        afterReading.run();
      }
      if (all.isEmpty()) {
        return; // nothing is measured yet
      }
      CompletableResultCode sent = exporter.export(all);
      // The exporter has a time-out of its own, for the connection and for the reply each.
      note(sent.join(3 * TIMEOUT.toMillis(), MILLISECONDS));
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "an export of metrics failed", e);
    }
  }

  private void note(CompletableResultCode sent) {
    if (sent.isSuccess()) {
      if (failing) {
        LOGGER.log(Level.INFO, "metrics are exported to " + url + " again");
      }
      failing = false;
      return;
    }
    long now = ticker.nanoTime();
    if (!failing || now - warnedNanos >= WARN_PERIOD.toNanos()) {
      warnedNanos = now;
      LOGGER.log(
          Level.WARNING,
          "metrics are not exported to "
              + url
              + ", which is tried again every "
              + interval.toMillis()
              + " ms: "
              + reason(sent.getFailureThrowable()));
    }
    failing = true;
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure instanceof HttpExportException http && http.getResponse() != null) {
      return "it answered with status " + http.getResponse().getStatusCode();
    }
    @Nullable Throwable cause = failure;
    while (cause != null && !(cause instanceof IOException)) {
      cause = cause.getCause();
    }
    return cause == null ? "no answer came" : cause.toString();
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType type) {
    return AggregationTemporality.CUMULATIVE;
  }

  /**
   * Exports once more, but not to a receiver that did not take the last export.
   *
   * @return succeeds when the values have been read, before they have been sent
   */
  @Override
  public CompletableResultCode forceFlush() {
    if (failing) {
      return CompletableResultCode.ofSuccess();
    }
    CompletableResultCode read = new CompletableResultCode();
    try {
      thread.execute(() -> export(read::succeed));
    } catch (RejectedExecutionException e) {
      return CompletableResultCode.ofFailure();
    }
    return read;
  }

  /** Waits three seconds at the most for what is on its way. */
  @Override
  public CompletableResultCode shutdown() {
    thread.shutdown();
    try {
      var _ = thread.awaitTermination(CLOSE_PATIENCE.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
    return exporter.shutdown();
  }
}

package io.headrace.cli.web;

import io.headrace.cli.metrics.Telemetry;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A process's metrics in Prometheus' text, collected at most once a second. Thread-safe. */
public final class MetricsResource implements Resource {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final String OPEN_METRICS = "application/openmetrics-text";

  private final RecentAnswers<String, Answer> answers;

  /** The metrics of {@code telemetry}; {@code ticker} measures how old they are. */
  public MetricsResource(Telemetry telemetry, Ticker ticker) {
    answers =
        new RecentAnswers<>(
            ticker,
            PERIOD,
            type ->
                CompletableFuture.supplyAsync(
                    () -> {
                      Telemetry.Exposition text = telemetry.prometheus(type);
                      return Answer.ok(text.type(), text.bytes());
                    },
                    task -> Thread.ofVirtual().name("metrics").start(task)));
  }

  @Override
  public Answer get(WebRequest request) {
    return answers.get(request.accept().contains(OPEN_METRICS) ? OPEN_METRICS : "text/plain");
  }
}

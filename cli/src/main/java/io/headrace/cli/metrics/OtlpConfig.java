package io.headrace.cli.metrics;

import io.headrace.runtime.status.StatusException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Where metrics are sent by OpenTelemetry's protocol over HTTP.
 *
 * @param endpoint the base of the receiver's URLs, such as {@code http://collector:4318}
 * @param interval the time between two exports; positive
 * @param attributes further attributes of the process, as the receiver is told
 */
public record OtlpConfig(URI endpoint, Duration interval, Map<String, String> attributes) {
  private static final String METRICS_PATH = "v1/metrics";

  /** INVALID_ARGUMENT unless the interval is positive. */
  public OtlpConfig {
    if (!interval.isPositive()) {
      throw StatusException.invalidArgument("interval must be positive, got %s", interval);
    }
    attributes = Map.copyOf(attributes);
  }

  /** The URL that metrics are sent to. */
  String metricsUrl() {
    String base = endpoint.toString();
    return base.endsWith("/") ? base + METRICS_PATH : base + "/" + METRICS_PATH;
  }
}

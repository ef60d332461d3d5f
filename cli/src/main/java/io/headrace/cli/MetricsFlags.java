package io.headrace.cli;

import io.headrace.cli.metrics.OtlpConfig;
import io.headrace.cli.metrics.Telemetry;
import io.headrace.cli.metrics.TelemetryConfig;
import io.headrace.rpc.BuildVersion;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags of a server's metrics; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class MetricsFlags {
  private static final long DEFAULT_INTERVAL_MS = 30_000;

  @Option(
      names = "--grpc-metrics",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Have gRPC's own metrics of calls, by method and status, among the others. Default:"
              + " ${DEFAULT-VALUE}.")
  boolean grpc;

  @Option(
      names = "--otlp-endpoint",
      paramLabel = "URL",
      description =
          "Send the metrics to http://HOST:PORT, by OpenTelemetry's protocol over HTTP; /v1/metrics"
              + " is appended. Default: they are sent nowhere.")
  Optional<String> otlpEndpoint = Optional.empty();

  @Option(
      names = "--otlp-interval-ms",
      paramLabel = "MS",
      description = "Milliseconds between two exports to --otlp-endpoint. Default: 30000.")
  Optional<Long> otlpIntervalMs = Optional.empty();

  @Option(
      names = "--otlp-attributes",
      paramLabel = "NAME=VALUE",
      split = ",",
      description =
          "Attributes of the process that --otlp-endpoint is told, beside service.name,"
              + " service.version and service.instance.id. Default: none.")
  Map<String, String> otlpAttributes = Map.of();

  /**
   * Begins to measure, if anybody is told; fails for a flag that makes no sense. Called before the
   * process has servers or channels.
   *
   * @param service the kind of process
   * @param web whether the process has pages
   */
  Optional<Telemetry> start(String service, boolean web) {
    Optional<OtlpConfig> otlp = otlp();
    if (!web && otlp.isEmpty()) {
      if (grpc) {
        throw StatusException.invalidArgument(
            "--grpc-metrics goes with --http-port or --otlp-endpoint only");
      }
      return Optional.empty();
    }
    TelemetryConfig config = new TelemetryConfig(service, BuildVersion.TEXT, grpc, otlp);
    return Optional.of(Telemetry.start(config, SystemTicker.INSTANCE));
  }

  private Optional<OtlpConfig> otlp() {
    if (otlpEndpoint.isEmpty() && (otlpIntervalMs.isPresent() || !otlpAttributes.isEmpty())) {
      throw StatusException.invalidArgument(
          "%s goes with --otlp-endpoint only",
          otlpIntervalMs.isPresent() ? "--otlp-interval-ms" : "--otlp-attributes");
    }
    return otlpEndpoint.map(
        url -> new OtlpConfig(Flags.httpUrl("--otlp-endpoint", url), interval(), otlpAttributes));
  }

  private Duration interval() {
    return Flags.millis("--otlp-interval-ms", otlpIntervalMs.orElse(DEFAULT_INTERVAL_MS));
  }
}

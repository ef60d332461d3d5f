package io.headrace.cli;

import io.headrace.cli.metrics.Telemetry;
import io.headrace.cli.metrics.TelemetryConfig;
import io.headrace.rpc.BuildVersion;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags of a server's metrics; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class MetricsFlags {
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

  /**
   * Begins to measure, if anybody may ask for it; fails for a flag that makes no sense. Called
   * before the process has servers or channels.
   *
   * @param service the kind of process
   * @param web whether the process has pages
   */
  Optional<Telemetry> start(String service, boolean web) {
    if (!web) {
      if (grpc) {
        throw StatusException.invalidArgument("--grpc-metrics goes with --http-port only");
      }
      return Optional.empty();
    }
    return Optional.of(Telemetry.start(new TelemetryConfig(service, BuildVersion.TEXT, grpc)));
  }
}

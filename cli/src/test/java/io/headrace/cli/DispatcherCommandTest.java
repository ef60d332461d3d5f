package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.headrace.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class DispatcherCommandTest {
  /**
   * TensorFlow's DispatcherConfig, field by field, and our own flags; the defaults on the right.
   */
  @Test
  void flags_haveTensorFlowsNamesAndDefaults() {
    assertThat(FlagDefaults.of(new DispatcherCommand()))
        .isEqualTo(
            Map.ofEntries(
                Map.entry("--port", "0"),
                Map.entry("--protocol", "grpc"),
                Map.entry("--work-dir", ""),
                Map.entry("--fault-tolerant-mode", "none"),
                Map.entry("--take-over", "false"),
                Map.entry("--gcs-endpoint", ""),
                Map.entry("--worker-addresses", "none"),
                Map.entry("--deployment-mode", "unspecified"),
                Map.entry("--job-gc-check-interval-ms", "none"),
                Map.entry("--job-gc-timeout-ms", "300000"),
                Map.entry("--gc-dynamic-sharding-jobs", "false"),
                Map.entry("--job-tombstone-ms", "86400000"),
                Map.entry("--dataset-gc-timeout-ms", "604800000"),
                Map.entry("--client-timeout-ms", "300000"),
                Map.entry("--worker-timeout-ms", "600000"),
                Map.entry("--worker-max-concurrent-snapshots", "3"),
                Map.entry("--stock-guarantee", "at_most_once"),
                Map.entry("--stock-lease-ms", "50"),
                Map.entry("--grpc-reflection", "false"),
                Map.entry("--grpc-channelz", "false"),
                Map.entry("--grpc-metrics", "false"),
                Map.entry("--otlp-endpoint", "none"),
                Map.entry("--otlp-interval-ms", "none"),
                Map.entry("--otlp-attributes", "none"),
                Map.entry("--http-port", "none"),
                Map.entry("--http-listen", "none"),
                Map.entry("--http-hosts", "none"),
                Map.entry("--max-receive-bytes", "none")));
  }

  @Test
  void noFlags_areTensorFlowsDefaults() {
    assertThat(config()).isEqualTo(DispatcherConfig.defaults());
  }

  @Test
  void flags_reachTheConfig() {
    assertThat(
            config(
                "--port=5050",
                "--work-dir=/w",
                "--fault-tolerant-mode",
                "--take-over",
                "--worker-addresses=a:1,b",
                "--deployment-mode=hybrid",
                "--job-gc-check-interval-ms=1",
                "--job-gc-timeout-ms=2",
                "--client-timeout-ms=3",
                "--worker-timeout-ms=4",
                "--stock-guarantee=at_least_once",
                "--stock-lease-ms=8",
                "--max-receive-bytes=5",
                "--job-tombstone-ms=6",
                "--dataset-gc-timeout-ms=7"))
        .isEqualTo(
            DispatcherConfig.builder()
                .port(5050)
                .workDir("/w")
                .faultTolerantMode(true)
                .takeOver(true)
                .workerAddresses(List.of("a:1", "b"))
                .deploymentMode(DeploymentMode.DEPLOYMENT_MODE_HYBRID)
                .jobGcCheckInterval(Duration.ofMillis(1))
                .jobGcTimeout(Duration.ofMillis(2))
                .clientTimeout(Duration.ofMillis(3))
                .workerTimeout(Duration.ofMillis(4))
                .stockGuarantee(Guarantee.AT_LEAST_ONCE)
                .stockLease(Duration.ofMillis(8))
                .maxReceiveBytes(5)
                .jobTombstoneTimeout(Duration.ofMillis(6))
                .datasetGcTimeout(Duration.ofMillis(7))
                .build());
  }

  @Test
  void workDir_isKeptUnlessFaultToleranceIsOff() {
    assertThat(config("--work-dir=/w").faultTolerantMode()).isTrue();
    assertThat(config("--work-dir=/w", "--fault-tolerant-mode=false").faultTolerantMode())
        .isFalse();
  }

  @Test
  void flagsOfABucket_reachTheConfig() {
    assertThat(
            config(
                "--work-dir=gs://bucket/path",
                "--fault-tolerant-mode",
                "--gcs-endpoint=http://localhost:4443"))
        .isEqualTo(
            DispatcherConfig.builder()
                .workDir("gs://bucket/path")
                .faultTolerantMode(true)
                .gcsEndpoint("http://localhost:4443")
                .build());
  }

  @Test
  void jobGcTimeout_negative_isNever() {
    assertThat(config("--job-gc-timeout-ms=-7").jobGcTimeout()).isNegative();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port=65536              | --port must be from 0 (any free port) to 65535, not 65536",
        "--port=-1                 | --port must be from 0 (any free port) to 65535, not -1",
        "--protocol=http           | --protocol must be grpc, not http",
        "--client-timeout-ms=0     | --client-timeout-ms must be 1 ms or more, not 0",
        "--worker-timeout-ms=-1    | --worker-timeout-ms must be 1 ms or more, not -1",
        "--job-gc-check-interval-ms=0 | --job-gc-check-interval-ms must be 1 ms or more, not 0",
        "--job-gc-timeout-ms=0     | --job-gc-timeout-ms must be 1 ms or more, not 0",
        "--max-receive-bytes=0     | --max-receive-bytes must be 1 byte or more, not 0",
        "--worker-addresses=a:1,,b | --worker-addresses must be words with commas between, none of"
            + " them empty, not a:1,,b",
        "--work-dir=gs://b/p       | gs://b/p names no bucket: a bucket's name has 3 or more of"
            + " a-z, 0-9, '-', '_' and '.'",
        "--gcs-endpoint=http://h:1 | --gcs-endpoint goes with --work-dir=gs://BUCKET/PATH only",
        "--fault-tolerant-mode     | --fault-tolerant-mode needs --work-dir=DIR, a directory to"
            + " keep its state in",
        "--worker-max-concurrent-snapshots=0 | --worker-max-concurrent-snapshots must be 1 to 1000,"
            + " not 0",
      })
  void badFlag_isRefusedInOneLine(String flag, String reason) {
    CommandRun run = CommandRun.of("dispatcher", flag);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("headrace dispatcher: " + reason + "\n");
  }

  @Test
  void flagThatIsNoNumber_isRefusedInOneLine() {
    CommandRun run = CommandRun.of("dispatcher", "--port=http");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--port", "'http' is not an int");
  }

  private static DispatcherConfig config(String... flags) {
    var command = new DispatcherCommand();
    new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(flags);
    return command.config();
  }
}

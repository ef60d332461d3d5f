package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerConfig.DataTransfer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class WorkerCommandTest {
  /** TensorFlow's WorkerConfig, field by field, and our own flags; the defaults on the right. */
  @Test
  void flags_haveTensorFlowsNamesAndDefaults() {
    assertThat(FlagDefaults.of(new WorkerCommand()))
        .isEqualTo(
            Map.ofEntries(
                Map.entry("--port", "0"),
                Map.entry("--cluster", "none"),
                Map.entry("--job-name", "none"),
                Map.entry("--task-index", "none"),
                Map.entry("--peer-timeout-ms", "none"),
                Map.entry("--shutdown-grace-period-ms", "none"),
                Map.entry("--protocol", "grpc"),
                Map.entry("--dispatcher-address", "none"),
                Map.entry("--worker-address", "localhost:%port%"),
                Map.entry("--devices", "none"),
                Map.entry("--worker-tags", "none"),
                Map.entry("--heartbeat-interval-ms", "30000"),
                Map.entry("--dispatcher-timeout-ms", "3600000"),
                Map.entry("--data-transfer-protocol", ""),
                Map.entry("--data-transfer-port", "0"),
                Map.entry("--data-transfer-address", ""),
                Map.entry("--cross-trainer-cache-size-bytes", "10737418240"),
                Map.entry("--snapshot-max-chunk-size-bytes", "6442450944"),
                Map.entry("--shutdown-quiet-period-ms", "10000"),
                Map.entry("--max-receive-bytes", "none"),
                Map.entry("--max-cache-bytes", "none"),
                Map.entry("--max-buffer-bytes", "none"),
                Map.entry("--grpc-reflection", "false"),
                Map.entry("--grpc-channelz", "false"),
                Map.entry("--grpc-metrics", "false"),
                Map.entry("--otlp-endpoint", "none"),
                Map.entry("--otlp-interval-ms", "none"),
                Map.entry("--otlp-attributes", "none"),
                Map.entry("--http-port", "none"),
                Map.entry("--http-listen", "none"),
                Map.entry("--http-hosts", "none"),
                Map.entry("--max-tensor-bytes", "none")));
  }

  @Test
  void noFlagsButTheDispatcher_areTensorFlowsDefaults() {
    assertThat(config()).isEqualTo(WorkerConfig.forDispatcher("d:5050"));
  }

  @Test
  void flags_reachTheConfig() {
    WorkerConfig defaults = WorkerConfig.forDispatcher("d:5050");

    assertThat(
            config(
                "--port=5051",
                "--worker-address=w:%port%",
                "--worker-tags=a,b",
                "--heartbeat-interval-ms=1",
                "--dispatcher-timeout-ms=2",
                "--data-transfer-protocol=stream",
                "--data-transfer-port=5051",
                "--data-transfer-address=s:%dts_port%",
                "--cross-trainer-cache-size-bytes=4",
                "--shutdown-quiet-period-ms=3"))
        .isEqualTo(
            new WorkerConfig(
                5051,
                "grpc",
                "d:5050",
                "w:%port%",
                List.of("a", "b"),
                Duration.ofMillis(1),
                Duration.ofMillis(2),
                new DataTransfer("stream", 5051, "s:%dts_port%"),
                4,
                defaults.snapshotMaxChunkSizeBytes(),
                Duration.ofMillis(3)));
  }

  @Test
  void bufferBytes_areWhatOneTasksBuffersMayHold_andAnEighthOfTheHeapOtherwise() {
    assertThat(command("--max-buffer-bytes=1234567").host().bufferBytes()).isEqualTo(1_234_567);
    assertThat(command().host().bufferBytes()).isEqualTo(Runtime.getRuntime().maxMemory() / 8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port=70000          | --port must be from 0 (any free port) to 65535, not 70000",
        "--protocol=http       | --protocol must be grpc, not http",
        "--worker-address=host | --worker-address must be HOST:PORT, not host",
        "--worker-tags=a,,b    | --worker-tags must be words with commas between, none of them"
            + " empty, not a,,b",
        "--heartbeat-interval-ms=0 | --heartbeat-interval-ms must be 1 ms or more, not 0",
        "--data-transfer-protocol=tcp | --data-transfer-protocol must be stream or grpc, not tcp",
        "--shutdown-quiet-period-ms=-1 | --shutdown-quiet-period-ms must be 0 ms or more, not -1",
        "--max-buffer-bytes=0  | --max-buffer-bytes must be 1 byte or more, not 0",
        "--max-tensor-bytes=0  | --max-tensor-bytes must be 1 byte or more, not 0",
        "--cross-trainer-cache-size-bytes=0 | --cross-trainer-cache-size-bytes must be 1 byte or"
            + " more, not 0",
        "--snapshot-max-chunk-size-bytes=0 | --snapshot-max-chunk-size-bytes must be 1 byte or"
            + " more, not 0",
        "--job-name=worker | --job-name needs --cluster",
        "--task-index=0 | --task-index needs --cluster",
        "--cluster={\"w\": [\"h:0\", \"h:x\"]} | Must specify an explicit `task_index`: the job 'w'"
            + " has the tasks [0, 1]",
        "--data-transfer-port=7 | --data-transfer-port: a port of its own for the stream is not"
            + " supported in this version",
      })
  void badFlag_isRefusedInOneLine(String flag, String reason) {
    CommandRun run = CommandRun.of("worker", "--dispatcher-address=d:5050", flag);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("headrace worker: " + reason + "\n");
  }

  @Test
  void noDispatcher_isRefusedInOneLine() {
    CommandRun run = CommandRun.of("worker");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--dispatcher-address");
  }

  @Test
  void clusterFlags_sayWhichTaskItIs() {
    ServerDef task =
        command(
                "--cluster={\"gpu\": [\"g:1\"], \"data\": [\"d:1\", \"d:2\"]}",
                "--job-name=data",
                "--task-index=1",
                "--port=7")
            .definition()
            .orElseThrow();

    assertThat(task.getJobName()).isEqualTo("data");
    assertThat(task.getTaskIndex()).isEqualTo(1);
    assertThat(task.getPort()).isEqualTo(7);
    assertThat(ClusterSpec.of(task.getCluster()).jobs()).containsExactly("data", "gpu");
    assertThat(command().definition()).isEmpty();
  }

  private static WorkerConfig config(String... flags) {
    return command(flags).config();
  }

  private static WorkerCommand command(String... flags) {
    var command = new WorkerCommand();
    List<String> all = new ArrayList<>(List.of(flags));
    all.add("--dispatcher-address=d:5050");
    new CommandLine(command).parseArgs(all.toArray(String[]::new));
    return command;
  }
}

package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuSelection;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class ServerCommandTest {
  private static final String SPEC =
      "{\"ps\": [\"p:1\"], \"worker\": {\"0\": \"w:2\", \"3\": \"w:5\"}}";

  @Test
  void flags_andTheirDefaults() {
    assertThat(FlagDefaults.of(new ServerCommand()))
        .isEqualTo(
            Map.ofEntries(
                Map.entry("--cluster", "none"),
                Map.entry("--job-name", "none"),
                Map.entry("--task-index", "none"),
                Map.entry("--peer-timeout-ms", "none"),
                Map.entry("--shutdown-grace-period-ms", "none"),
                Map.entry("--protocol", "grpc"),
                Map.entry("--max-receive-bytes", "none"),
                Map.entry("--max-tensor-bytes", "none"),
                Map.entry("--config", "none"),
                Map.entry("--devices", "none"),
                Map.entry("--session-timeout-ms", "none")));
    assertThat(command().host().timeouts()).isEqualTo(Timeouts.DEFAULT);
  }

  @Test
  void timeouts_reachTheServer() {
    Timeouts timeouts =
        command("--peer-timeout-ms=1", "--session-timeout-ms=2", "--shutdown-grace-period-ms=3")
            .host()
            .timeouts();
    assertThat(timeouts)
        .isEqualTo(new Timeouts(Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(3)));
  }

  @ParameterizedTest
  @CsvSource({"cpu", "gpu:", "gpu:0;gpu:1", "gpu:-1", "'gpu:0,'", "''"})
  void devices_thatAreNoGpus_areRefused(String flag) {
    ServerCommand command = command("--devices=" + flag);

    assertThatThrownBy(command::host)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("GPUs are named gpu, or gpu:N");
  }

  @Test
  void devices_namedTwice_areRefused() {
    ServerCommand command = command("--devices=gpu:1,GPU:1");

    assertThatThrownBy(command::host).hasMessageContaining("gpu:1 is named twice");
  }

  @Test
  void devices_areNumbered() {
    assertThat(GpuSelection.parse("gpu").numbers()).isEmpty();
    assertThat(GpuSelection.parse("/gpu:2, gpu:0").numbers()).containsExactly(2, 0);
  }

  @Test
  void devices_withoutADriver_areNamedAsTheyWereGiven() {
    CudaSearch absent = new CudaSearch.Absent("there is no driver", List.of());

    assertThat(GpuSelection.parse("gpu").names(absent)).containsExactly("gpu");
    assertThat(GpuSelection.parse("/gpu:2, gpu:0").names(absent)).containsExactly("gpu:2", "gpu:0");
  }

  @Test
  void config_isReadFromABinaryFile(@TempDir Path folder) throws IOException {
    ConfigProto two = ConfigProto.newBuilder().putDeviceCount("CPU", 2).build();
    Path config = Files.write(folder.resolve("config"), two.toByteArray());
    assertThat(definition(Map.of(), "--config=@" + config).getDefaultSessionConfig())
        .isEqualTo(two);
  }

  private static ServerCommand command(String... flags) {
    var command = new ServerCommand();
    new CommandLine(command).parseArgs(flags);
    return command;
  }

  private static ServerDef definition(Map<String, String> environment, String... flags) {
    return command(flags).definition(environment);
  }

  @Test
  void noFlags_areATaskOfItsOwn() {
    ServerDef server = definition(Map.of());
    assertThat(server.getJobName()).isEqualTo("localhost");
    assertThat(ClusterSpec.of(server.getCluster()))
        .isEqualTo(ClusterSpec.of(Map.of("localhost", List.of("localhost:0"))));
  }

  @Test
  void flags_reachTheDefinition(@TempDir Path folder) throws IOException {
    Path config = Files.writeString(folder.resolve("config"), "{\"device_count\": {\"CPU\": 2}}");
    Path cluster = Files.writeString(folder.resolve("cluster"), SPEC);
    ServerDef server =
        definition(
            Map.of(),
            "--cluster=@" + cluster,
            "--job-name=worker",
            "--task-index=3",
            "--config=@" + config);
    assertThat(server.getTaskIndex()).isEqualTo(3);
    assertThat(server.getDefaultSessionConfig().getDeviceCountOrThrow("CPU")).isEqualTo(2);
    assertThat(ClusterSpec.of(server.getCluster()).taskAddress("worker", 3)).isEqualTo("w:5");
  }

  @Test
  void environment_saysWhoTheTaskIs() {
    String config = "{\"cluster\": " + SPEC + ", \"task\": {\"type\": \"ps\", \"index\": 0}}";
    ServerDef server = definition(Map.of("TF_CONFIG", config));
    assertThat(server.getJobName()).isEqualTo("ps");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--cluster={\"w\": [\"localhost\"]}| Could not parse port for local server from"
            + " \"localhost\".",
        "--cluster={\"w\": [\"h:0\", \"h:x\"]}| Must specify an explicit `task_index`: the job 'w'"
            + " has the tasks [0, 1]",
        "--cluster=@/no/such/file| /no/such/file can't be read: NoSuchFileException",
        "--session-timeout-ms=-1| --session-timeout-ms must be 0 ms or more, not -1",
        "--shutdown-grace-period-ms=-1| --shutdown-grace-period-ms must be 0 ms or more, not -1",
        "--protocol=http| --protocol must be grpc, not http",
      })
  void badFlag_isRefusedInOneLine(String flag, String reason) {
    CommandRun run = CommandRun.of("server", flag);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("headrace server: " + reason + "\n");
  }
}

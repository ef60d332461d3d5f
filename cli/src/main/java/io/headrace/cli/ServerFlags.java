package io.headrace.cli;

import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterConfig;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.status.StatusException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags that assign a process to a task of a cluster; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class ServerFlags {
  private static final String FILE_SIGN = "@";

  @Option(
      names = "--cluster",
      paramLabel = "SPEC|@FILE",
      description =
          "The cluster of which this process is a task: JSON such as {\"ps\": [\"host:2221\"],"
              + " \"worker\": {\"0\": \"host:2222\"}}, or a file with such JSON, a TF_CONFIG, or a"
              + " ClusterDef as text or binary. Port 0 for the task itself means any free port."
              + " Default: a cluster of this task alone.")
  Optional<String> cluster = Optional.empty();

  @Option(
      names = "--job-name",
      paramLabel = "NAME",
      description = "The task's job in the cluster. Default: the only job.")
  Optional<String> jobName = Optional.empty();

  @Option(
      names = "--task-index",
      paramLabel = "N",
      description = "The task's index in its job. Default: the only task.")
  Optional<Integer> taskIndex = Optional.empty();

  @Option(
      names = "--peer-timeout-ms",
      paramLabel = "MS",
      description =
          "How long another task may stay silent, after it was asked for a sign of life, while a"
              + " step or a row with a pinned function waits for it; then the step or row fails"
              + " with UNAVAILABLE. Default: ${DEFAULT-VALUE}.")
  long peerTimeoutMs = Timeouts.DEFAULT.peer().toMillis();

  @Option(
      names = "--shutdown-grace-period-ms",
      paramLabel = "MS",
      description =
          "How long running steps may continue after SIGTERM before they end with ABORTED; new"
              + " steps fail with UNAVAILABLE meanwhile. Default: ${DEFAULT-VALUE}.")
  long shutdownGracePeriodMs = Timeouts.DEFAULT.stop().toMillis();

  /** The timeouts for silent tasks and for running steps after SIGTERM. */
  Timeouts timeouts() {
    return Timeouts.DEFAULT
        .withPeer(Flags.millis("--peer-timeout-ms", peerTimeoutMs))
        .withStop(Flags.millisOrNone("--shutdown-grace-period-ms", shutdownGracePeriodMs));
  }

  /** The cluster of {@code --cluster}, if given. */
  Optional<ClusterConfig> cluster() {
    return cluster.map(flag ->
        flag.startsWith(FILE_SIGN)
            ? ClusterConfig.ofFile(file("--cluster", flag))
            : ClusterConfig.ofText(flag, "--cluster"));
  }

  /**
   * The definition of this process's task in {@code found}; {@code sessions} are the defaults of
   * its sessions.
   */
  ServerDef task(ClusterConfig found, ConfigProto sessions) {
    return ServerDefs.of(
        found.cluster(),
        new Overrides(
            jobName.or(found::jobName),
            taskIndex.or(found::taskIndex),
            Optional.empty(),
            sessions));
  }

  /** The definition of the only task of a cluster. */
  ServerDef taskAlone(ConfigProto sessions) {
    return ServerDefs.of(
        ServerDefs.local(sessions),
        new Overrides(jobName, taskIndex, Optional.empty(), ConfigProto.getDefaultInstance()));
  }

  /** Refuses {@code --job-name} and {@code --task-index} without a cluster. */
  void refuseTaskWithoutCluster() {
    refuse("--job-name", jobName);
    refuse("--task-index", taskIndex);
  }

  private static void refuse(String flag, Optional<?> value) {
    if (value.isPresent()) {
      throw StatusException.invalidArgument("%s needs --cluster", flag);
    }
  }

  /** The file of a flag of the form {@code @FILE}; INVALID_ARGUMENT for another form. */
  static Path file(String name, String flag) {
    if (!flag.startsWith(FILE_SIGN)) {
      throw StatusException.invalidArgument("%s must be @FILE, not %s", name, flag);
    }
    return Path.of(flag.substring(1));
  }
}

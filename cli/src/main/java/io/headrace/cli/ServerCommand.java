package io.headrace.cli;

import io.headrace.cluster.ClusterConfig;
import io.headrace.cluster.Server;
import io.headrace.cluster.ServerDefs;
import io.headrace.cluster.ServerDefs.Overrides;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace server}: a task of a cluster as a process, until SIGTERM. */
@Command(
    name = "server",
    sortOptions = false,
    description = {
      "Run a task of a TensorFlow cluster: sessions can be opened on it, and those of other tasks"
          + " run parts of their steps on its devices.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets what carries its annotations
final class ServerCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--cluster",
      paramLabel = "SPEC|@FILE",
      description =
          "The cluster: JSON such as {\"ps\": [\"host:2221\"], \"worker\": {\"0\": \"host:2222\"}},"
              + " or a file that holds that, a TF_CONFIG, or a ClusterDef as text or binary. Port 0"
              + " for the task itself: any free port. Default: the environment variable TF_CONFIG,"
              + " or else a cluster of this task alone.")
  Optional<String> cluster = Optional.empty();

  @Option(
      names = "--job-name",
      paramLabel = "NAME",
      description = "The job that this task is of. Default: the only one there is.")
  Optional<String> jobName = Optional.empty();

  @Option(
      names = "--task-index",
      paramLabel = "N",
      description = "Which task of the job this is. Default: the only one there is.")
  Optional<Integer> taskIndex = Optional.empty();

  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      defaultValue = "grpc",
      description = "How to talk to peers; grpc is the one there is. Default: ${DEFAULT-VALUE}.")
  String protocol = "";

  @Option(
      names = "--config",
      paramLabel = "@FILE",
      description =
          "The defaults of sessions: a file with a ConfigProto as JSON, text or binary. Default:"
              + " TensorFlow's.")
  Optional<String> config = Optional.empty();

  @Option(
      names = "--max-receive-bytes",
      paramLabel = "BYTES",
      description =
          "How many bytes may be on their way in at a time, over all connections; more are refused"
              + " with RESOURCE_EXHAUSTED. Default: a quarter of the heap.")
  Optional<Long> maxReceiveBytes = Optional.empty();

  @Option(
      names = "--max-tensor-bytes",
      paramLabel = "BYTES",
      description =
          "How large a tensor may be; a larger one is refused with RESOURCE_EXHAUSTED. Default: a"
              + " quarter of the heap.")
  Optional<Long> maxTensorBytes = Optional.empty();

  @Option(
      names = "--peer-timeout-ms",
      paramLabel = "MS",
      description =
          "How long another task that a step waits for may be silent, once it was asked for a sign"
              + " of life, before the step fails with UNAVAILABLE. Default: ${DEFAULT-VALUE}.")
  long peerTimeoutMs = Timeouts.DEFAULT.peer().toMillis();

  @Option(
      names = "--session-timeout-ms",
      paramLabel = "MS",
      description =
          "How long a session that was opened here may be unused before it is closed, for its"
              + " client may be gone; 0 for ever, as TensorFlow has it. Default: ${DEFAULT-VALUE}.")
  long sessionTimeoutMs = Timeouts.DEFAULT.session().toMillis();

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), () -> server(definition(System.getenv()), host()));
  }

  /** What the flags say; fails with a StatusException that names the one at fault. */
  ServerDef definition(Map<String, String> environment) {
    Flags.protocol("--protocol", protocol);
    Optional<ClusterConfig> given =
        cluster.map(ClusterFlags::cluster).or(() -> ClusterConfig.ofEnvironment(environment));
    ConfigProto sessions =
        config
            .map(flag -> ClusterConfig.sessionConfig(ClusterFlags.file("--config", flag)))
            .orElse(ConfigProto.getDefaultInstance());
    if (given.isEmpty()) {
      return ServerDefs.of(
          ServerDefs.local(sessions),
          new Overrides(jobName, taskIndex, Optional.empty(), ConfigProto.getDefaultInstance()));
    }
    ClusterConfig found = given.get();
    return ServerDefs.of(
        found.cluster(),
        new Overrides(
            jobName.or(found::jobName),
            taskIndex.or(found::taskIndex),
            Optional.empty(),
            sessions));
  }

  private ServerHost host() {
    Flags.bytes("--max-tensor-bytes", maxTensorBytes).ifPresent(TensorLimit::setMaxBytes);
    ServerHost host =
        ServerHost.ofProcess()
            .withTimeouts(
                new Timeouts(
                    Flags.millis("--peer-timeout-ms", peerTimeoutMs),
                    Flags.millisOrNone("--session-timeout-ms", sessionTimeoutMs)));
    return Flags.bytes("--max-receive-bytes", maxReceiveBytes)
        .map(bytes -> host.withReceiveBudget(ReceiveBudget.ofBytes(bytes)))
        .orElse(host);
  }

  private static ServerProcess.Server server(ServerDef definition, ServerHost host) {
    Server server = new Server(definition, host);
    return new ServerProcess.Server(
        () -> {
          server.start();
          return server.target();
        },
        server::join,
        server::stop);
  }
}

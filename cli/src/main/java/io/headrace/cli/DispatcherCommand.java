package io.headrace.cli;

import io.headrace.cli.ServerProcess.Server;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace dispatcher}: a dispatcher as a process, until SIGTERM. */
@Command(
    name = "dispatcher",
    sortOptions = false,
    description = {
      "Run a dispatcher: it knows datasets, jobs and workers, and gives workers their tasks.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets what carries its annotations
final class DispatcherCommand implements Callable<Integer> {
  private static final int DEFAULT_CONCURRENT_SNAPSHOTS = 3;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "Where to listen, on all interfaces; 0 for any free port. Default: ${DEFAULT-VALUE}.")
  int port;

  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      defaultValue = "grpc",
      description = "How to talk to peers; grpc is the one there is. Default: ${DEFAULT-VALUE}.")
  String protocol = "";

  @Option(
      names = "--worker-addresses",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "The workers that may register: host:port, or host (host:%%port%%) for any one port of"
              + " it. Default: any worker.")
  List<String> workerAddresses = List.of();

  @Option(
      names = "--deployment-mode",
      paramLabel = "MODE",
      defaultValue = "unspecified",
      description =
          "Where workers run, as clients are told: ${COMPLETION-CANDIDATES}. Default:"
              + " ${DEFAULT-VALUE} (clients take it as remote).")
  Deployment deploymentMode = Deployment.UNSPECIFIED;

  @Option(
      names = "--client-timeout-ms",
      paramLabel = "MS",
      defaultValue = "300000",
      description =
          "A client that was silent for so many milliseconds is taken for gone. Default:"
              + " ${DEFAULT-VALUE}.")
  long clientTimeoutMs;

  @Option(
      names = "--worker-timeout-ms",
      paramLabel = "MS",
      defaultValue = "600000",
      description =
          "A worker that sent no heartbeat for so many milliseconds is taken for gone. Default:"
              + " ${DEFAULT-VALUE}.")
  long workerTimeoutMs;

  @Option(
      names = "--job-gc-check-interval-ms",
      paramLabel = "MS",
      defaultValue = "600000",
      description =
          "Milliseconds between searches for iterations that nobody reads. Default:"
              + " ${DEFAULT-VALUE}.")
  long jobGcCheckIntervalMs;

  @Option(
      names = "--job-gc-timeout-ms",
      paramLabel = "MS",
      defaultValue = "300000",
      description =
          "An iteration that nobody read for so many milliseconds is forgotten; negative: never."
              + " Default: ${DEFAULT-VALUE}.")
  long jobGcTimeoutMs;

  @Option(
      names = "--gc-dynamic-sharding-jobs",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Forget iterations with dynamic sharding, too. Default: ${DEFAULT-VALUE}; true is not"
              + " supported in this version.")
  boolean gcDynamicShardingJobs;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      defaultValue = "",
      description =
          "Where to keep datasets and journal. Default: none, in memory; another is not supported"
              + " in this version.")
  String workDir = "";

  @Option(
      names = "--fault-tolerant-mode",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Remember everything over a restart, in --work-dir. Default: ${DEFAULT-VALUE}; true is"
              + " not supported in this version.")
  boolean faultTolerantMode;

  @Option(
      names = "--worker-max-concurrent-snapshots",
      paramLabel = "STREAMS",
      defaultValue = "3",
      description =
          "How many snapshot streams a worker may write at a time. Default: ${DEFAULT-VALUE};"
              + " snapshots are not supported in this version.")
  long workerMaxConcurrentSnapshots;

  @Option(
      names = "--max-receive-bytes",
      paramLabel = "BYTES",
      description =
          "How many bytes may be on their way in at a time, over all connections; more are refused"
              + " with RESOURCE_EXHAUSTED. Default: a quarter of the heap.")
  Optional<Long> maxReceiveBytes = Optional.empty();

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), () -> server(config()));
  }

  /** What the flags say; fails with a StatusException that names the one at fault. */
  DispatcherConfig config() {
    refuseWhatIsNotSupported();
    return DispatcherConfig.builder()
        .port(Flags.port("--port", port))
        .protocol(Flags.protocol("--protocol", protocol))
        .workerAddresses(Flags.words("--worker-addresses", workerAddresses))
        .deploymentMode(deploymentMode.mode())
        .clientTimeout(Flags.millis("--client-timeout-ms", clientTimeoutMs))
        .workerTimeout(Flags.millis("--worker-timeout-ms", workerTimeoutMs))
        .jobGcCheckInterval(Flags.millis("--job-gc-check-interval-ms", jobGcCheckIntervalMs))
        .jobGcTimeout(Flags.millisOrNever("--job-gc-timeout-ms", jobGcTimeoutMs))
        .maxReceiveBytes(Flags.bytes("--max-receive-bytes", maxReceiveBytes).orElse(0L))
        .build();
  }

  private void refuseWhatIsNotSupported() {
    Flags.refuse("--work-dir", !workDir.isEmpty(), "keeping state in a directory");
    Flags.refuse("--fault-tolerant-mode", faultTolerantMode, "fault tolerance");
    Flags.refuse("--gc-dynamic-sharding-jobs", gcDynamicShardingJobs, "dynamic sharding");
    Flags.refuse(
        "--worker-max-concurrent-snapshots",
        workerMaxConcurrentSnapshots != DEFAULT_CONCURRENT_SNAPSHOTS,
        "a distributed snapshot");
  }

  private static Server server(DispatcherConfig config) {
    DispatchServer server = DispatchServer.create(config);
    return new Server(
        () -> {
          server.start();
          return server.target();
        },
        server::join,
        server::stop);
  }
}

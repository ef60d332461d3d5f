package io.headrace.cli;

import io.headrace.cli.ServerProcess.Server;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.journal.GcsLocation;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace dispatcher}: runs a dispatcher until SIGTERM. */
@Command(
    name = "dispatcher",
    sortOptions = false,
    description = {
      "Run a dispatcher: it knows datasets, jobs and workers, and gives workers their tasks.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
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

  @Mixin TransportFlags transport = new TransportFlags();

  @Option(
      names = "--worker-addresses",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "The workers that may register: host:port, or host (host:%%port%%) for any one port of"
              + " it. Static sharding divides datasets among them. Default: any worker.")
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
          "A client that was silent for so many milliseconds is taken for gone. One that reads"
              + " exactly once is after twice as many; if it shares a job, it waits from then on"
              + " where it had no answer for so many. Default: ${DEFAULT-VALUE}.")
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
      description =
          "Milliseconds between searches for iterations, jobs, datasets, clients and workers that"
              + " are to be forgotten. Default: a quarter of the shortest of the times after which"
              + " they are, at least a second, at most 10 min.")
  Optional<Long> jobGcCheckIntervalMs = Optional.empty();

  @Option(
      names = "--job-gc-timeout-ms",
      paramLabel = "MS",
      defaultValue = "300000",
      description =
          "An iteration that nobody read for so many milliseconds is forgotten; negative: never."
              + " Default: ${DEFAULT-VALUE}.")
  long jobGcTimeoutMs;

  @Option(
      names = "--job-tombstone-ms",
      paramLabel = "MS",
      defaultValue = "86400000",
      description =
          "For so many milliseconds after its last reader the name of a job is remembered, so that"
              + " who comes late to what was read to its end gets nothing, and not all of it anew."
              + " Default: ${DEFAULT-VALUE} (24 h).")
  long jobTombstoneMs;

  @Option(
      names = "--dataset-gc-timeout-ms",
      paramLabel = "MS",
      defaultValue = "604800000",
      description =
          "A dataset of no job that nobody asked for in so many milliseconds is forgotten. Default:"
              + " ${DEFAULT-VALUE} (7 days).")
  long datasetGcTimeoutMs;

  @Option(
      names = "--gc-dynamic-sharding-jobs",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Forget iterations with dynamic sharding, too; whoever comes back to one reads it anew."
              + " Default: ${DEFAULT-VALUE}.")
  boolean gcDynamicShardingJobs;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR|gs://BUCKET/PATH",
      defaultValue = "",
      description =
          "Where --fault-tolerant-mode keeps what it remembers: a directory of this host, made if"
              + " it is missing, which one dispatcher at a time uses; or a place in Google Cloud"
              + " Storage, which the dispatcher that was started last has, and the one before"
              + " exits. Default: none.")
  String workDir = "";

  @Option(
      names = "--gcs-endpoint",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "Where Cloud Storage is, for a --work-dir in a bucket. It is spoken to with Google's"
              + " application default credentials; at an http:// URL, such as an emulator's,"
              + " without. Default: Google's own.")
  String gcsEndpoint = "";

  @Option(
      names = "--fault-tolerant-mode",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Remember datasets, jobs and workers over a restart, in --work-dir. Default:"
              + " ${DEFAULT-VALUE}.")
  boolean faultTolerantMode;

  @Option(
      names = "--take-over",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Use a --work-dir that a dispatcher on another host used last. Only where none runs there"
              + " any more; gs:// needs none. Default: ${DEFAULT-VALUE}.")
  boolean takeOver;

  @Option(
      names = "--worker-max-concurrent-snapshots",
      paramLabel = "STREAMS",
      defaultValue = "3",
      description =
          "How many snapshot streams a worker may write at a time. Default: ${DEFAULT-VALUE};"
              + " snapshots are not supported in this version.")
  long workerMaxConcurrentSnapshots;

  @Option(
      names = "--stock-guarantee",
      paramLabel = "at_most_once|at_least_once",
      defaultValue = "at_most_once",
      description =
          "What becomes of elements when workers die, in jobs with dynamic sharding that"
              + " TensorFlow's own clients make: at_most_once loses some, as TensorFlow's service"
              + " does; at_least_once makes them again, where a dataset allows that, and with them"
              + " some that had been read. Default: ${DEFAULT-VALUE}.")
  String stockGuarantee = "";

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), () -> server(config()));
  }

  /** The configuration; fails with a StatusException that names the invalid flag. */
  DispatcherConfig config() {
    refuseUnsupportedFlags();
    if (faultTolerantMode && workDir.isEmpty()) {
      throw StatusException.invalidArgument(
          "--fault-tolerant-mode needs --work-dir=DIR, a directory to keep its state in");
    }
    if (!gcsEndpoint.isEmpty() && !GcsLocation.isOne(workDir)) {
      throw StatusException.invalidArgument(
          "--gcs-endpoint goes with --work-dir=gs://BUCKET/PATH only");
    }
    return DispatcherConfig.builder()
        .port(Flags.port("--port", port))
        .protocol(transport.protocol())
        .workDir(workDir)
        .faultTolerantMode(faultTolerantMode)
        .takeOver(takeOver)
        .gcsEndpoint(gcsEndpoint)
        .workerAddresses(Flags.words("--worker-addresses", workerAddresses))
        .deploymentMode(deploymentMode.mode())
        .clientTimeout(Flags.millis("--client-timeout-ms", clientTimeoutMs))
        .workerTimeout(Flags.millis("--worker-timeout-ms", workerTimeoutMs))
        .jobGcCheckInterval(
            jobGcCheckIntervalMs
                .map(ms -> Flags.millis("--job-gc-check-interval-ms", ms))
                .orElse(Duration.ZERO))
        .jobGcTimeout(Flags.millisOrNever("--job-gc-timeout-ms", jobGcTimeoutMs))
        .gcDynamicShardingJobs(gcDynamicShardingJobs)
        .jobTombstoneTimeout(Flags.millis("--job-tombstone-ms", jobTombstoneMs))
        .datasetGcTimeout(Flags.millis("--dataset-gc-timeout-ms", datasetGcTimeoutMs))
        .stockGuarantee(stockGuarantee())
        .maxReceiveBytes(transport.maxReceiveBytes().orElse(0L))
        .build();
  }

  private Guarantee stockGuarantee() {
    return switch (stockGuarantee) {
      case "at_most_once" -> Guarantee.AT_MOST_ONCE;
      case "at_least_once" -> Guarantee.AT_LEAST_ONCE;
      case "exactly_once" ->
          throw StatusException.invalidArgument(
              "--stock-guarantee can't be exactly_once: TensorFlow's clients can't say what they"
                  + " have received; use at_least_once");
      default ->
          throw StatusException.invalidArgument(
              "--stock-guarantee must be at_most_once or at_least_once, not %s", stockGuarantee);
    };
  }

  private void refuseUnsupportedFlags() {
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

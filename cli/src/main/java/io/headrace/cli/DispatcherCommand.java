package io.headrace.cli;

import io.headrace.cli.ServerProcess.Server;
import io.headrace.cli.metrics.Telemetry;
import io.headrace.cli.web.DispatcherSite;
import io.headrace.cli.web.MetricsResource;
import io.headrace.cli.web.Routes;
import io.headrace.cli.web.WebConfig;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.journal.GcsLocation;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
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
      "Run a dispatcher: it keeps track of datasets, jobs and workers, and assigns tasks to"
          + " workers.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class DispatcherCommand implements Callable<Integer> {
  private static final int MAX_SNAPSHOTS = 1000;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "The port to listen on, on all interfaces; 0 for any free port. Default:"
              + " ${DEFAULT-VALUE}.")
  int port;

  @Mixin TransportFlags transport = new TransportFlags();

  @Option(
      names = "--worker-addresses",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "The workers that may register: host:port, or host (host:%%port%%) for one worker at"
              + " any port of it. Static sharding divides datasets among them. Default: any"
              + " worker.")
  List<String> workerAddresses = List.of();

  @Option(
      names = "--deployment-mode",
      paramLabel = "MODE",
      defaultValue = "unspecified",
      description =
          "Where workers run, as reported to clients: ${COMPLETION-CANDIDATES}. Default:"
              + " ${DEFAULT-VALUE} (clients take it as remote).")
  Deployment deploymentMode = Deployment.UNSPECIFIED;

  @Option(
      names = "--client-timeout-ms",
      paramLabel = "MS",
      defaultValue = "300000",
      description =
          "Milliseconds of silence after which a client counts as gone. An exactly-once reader"
              + " counts as gone after twice as long; if it shares a job, it pauses once it has"
              + " had no answer for this long. Default: ${DEFAULT-VALUE}.")
  long clientTimeoutMs;

  @Option(
      names = "--worker-timeout-ms",
      paramLabel = "MS",
      defaultValue = "600000",
      description =
          "Milliseconds without a heartbeat after which a worker counts as gone. Default:"
              + " ${DEFAULT-VALUE}.")
  long workerTimeoutMs;

  @Option(
      names = "--job-gc-check-interval-ms",
      paramLabel = "MS",
      description =
          "Milliseconds between garbage collections of iterations, jobs, datasets, clients and"
              + " workers. Default: a quarter of the shortest of their timeouts, at least a"
              + " second, at most 10 min.")
  Optional<Long> jobGcCheckIntervalMs = Optional.empty();

  @Option(
      names = "--job-gc-timeout-ms",
      paramLabel = "MS",
      defaultValue = "300000",
      description =
          "Milliseconds after which an iteration without readers is forgotten; negative: never."
              + " Default: ${DEFAULT-VALUE}.")
  long jobGcTimeoutMs;

  @Option(
      names = "--job-tombstone-ms",
      paramLabel = "MS",
      defaultValue = "86400000",
      description =
          "Milliseconds for which a job's name is remembered after its last reader has left, so"
              + " that a late reader of a finished job gets the end instead of a new pass."
              + " Default: ${DEFAULT-VALUE} (24 h).")
  long jobTombstoneMs;

  @Option(
      names = "--dataset-gc-timeout-ms",
      paramLabel = "MS",
      defaultValue = "604800000",
      description =
          "Milliseconds after its last use in which a dataset without jobs is forgotten. Default:"
              + " ${DEFAULT-VALUE} (7 days).")
  long datasetGcTimeoutMs;

  @Option(
      names = "--gc-dynamic-sharding-jobs",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Forget iterations with dynamic sharding, too; a reader that returns reads the dataset"
              + " from its start. Default: ${DEFAULT-VALUE}.")
  boolean gcDynamicShardingJobs;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR|gs://BUCKET/PATH",
      defaultValue = "",
      description =
          "Where the dispatcher keeps its state, so that it survives restarts: a directory of this"
              + " host, created if missing, for one dispatcher at a time; or a path in Google Cloud"
              + " Storage, which the dispatcher started last takes over, while the previous one"
              + " exits. Default: none; the state ends with the process.")
  String workDir = "";

  @Option(
      names = "--gcs-endpoint",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "The endpoint of Cloud Storage, for a --work-dir in a bucket. Uses Google's application"
              + " default credentials, or none at an http:// URL, such as an emulator's. Default:"
              + " Google's own.")
  String gcsEndpoint = "";

  @Option(
      names = "--fault-tolerant-mode",
      arity = "0..1",
      paramLabel = "true|false",
      fallbackValue = "true",
      description =
          "Keep datasets, jobs and workers across restarts, in --work-dir. Default: true if there"
              + " is a --work-dir.")
  Optional<Boolean> faultTolerantMode = Optional.empty();

  @Option(
      names = "--take-over",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Use a --work-dir last used by a dispatcher on another host. Only safe if that one no"
              + " longer runs; not needed for gs://. Default: ${DEFAULT-VALUE}.")
  boolean takeOver;

  @Option(
      names = "--worker-max-concurrent-snapshots",
      paramLabel = "STREAMS",
      defaultValue = "3",
      description =
          "The most streams of distributed snapshots that a worker writes at a time. Default:"
              + " ${DEFAULT-VALUE}.")
  long workerMaxConcurrentSnapshots;

  @Option(
      names = "--stock-guarantee",
      paramLabel = "at_most_once|at_least_once",
      defaultValue = "at_most_once",
      description =
          "The guarantee of jobs with dynamic sharding made by TensorFlow's own clients, when"
              + " workers die: at_most_once loses some elements, as TensorFlow's service does;"
              + " at_least_once, where a dataset allows it, makes them again, together with some"
              + " that were read already. Default: ${DEFAULT-VALUE}.")
  String stockGuarantee = "";

  @Option(
      names = "--stock-lease-ms",
      paramLabel = "MS",
      defaultValue = "50",
      description =
          "In jobs of TensorFlow's own clients that are read at most once, how much reading a lost"
              + " worker may cost, in milliseconds at the readers' present rate. Without the"
              + " dispatcher readers go on for about as long. Default: ${DEFAULT-VALUE}.")
  long stockLeaseMs;

  @Mixin GrpcFlags grpc = new GrpcFlags();

  @Mixin WebFlags web = new WebFlags();

  @Mixin MetricsFlags metrics = new MetricsFlags();

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), this::server);
  }

  /** The configuration; fails with a StatusException that names the invalid flag. */
  DispatcherConfig config() {
    boolean isFaultTolerant = faultTolerantMode.orElse(!workDir.isEmpty());
    if (isFaultTolerant && workDir.isEmpty()) {
      throw StatusException.invalidArgument(
          "--fault-tolerant-mode needs --work-dir=DIR, a directory to keep its state in");
    }
    if (!gcsEndpoint.isEmpty() && !GcsLocation.isBucketUrl(workDir)) {
      throw StatusException.invalidArgument(
          "--gcs-endpoint goes with --work-dir=gs://BUCKET/PATH only");
    }
    return DispatcherConfig.builder()
        .port(Flags.port("--port", port))
        .protocol(transport.protocol())
        .workDir(workDir)
        .faultTolerantMode(isFaultTolerant)
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
        .workerMaxConcurrentSnapshots(workerMaxConcurrentSnapshots())
        .stockGuarantee(stockGuarantee())
        .stockLease(Flags.millis("--stock-lease-ms", stockLeaseMs))
        .maxReceiveBytes(transport.maxReceiveBytes().orElse(0L))
        .inspection(grpc.inspection())
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

  private int workerMaxConcurrentSnapshots() {
    if (workerMaxConcurrentSnapshots < 1 || workerMaxConcurrentSnapshots > MAX_SNAPSHOTS) {
      throw StatusException.invalidArgument(
          "--worker-max-concurrent-snapshots must be 1 to %d, not %d",
          MAX_SNAPSHOTS, workerMaxConcurrentSnapshots);
    }
    return (int) workerMaxConcurrentSnapshots;
  }

  /** The server that the flags ask for, not started; fails as {@link #config} does. */
  Server server() {
    DispatcherConfig config = config();
    Optional<WebConfig> pages = web.config();
    return metrics
        .start("headrace-dispatcher", pages.isPresent())
        .map(telemetry -> measured(config, telemetry, pages))
        .orElseGet(() -> server(DispatchServer.create(config)));
  }

  private static Server measured(
      DispatcherConfig config, Telemetry telemetry, Optional<WebConfig> pages) {
    DispatchServer server = DispatchServer.create(config, telemetry.meter());
    DispatcherSite site = new DispatcherSite(server::view, SystemTicker.INSTANCE);
    telemetry.export(site.metrics());
    Server plain = server(server).withExports(telemetry);
    return pages
        .map(web -> {
          Routes routes = new Routes();
          site.addTo(routes);
          routes.add("/metrics", new MetricsResource(telemetry, SystemTicker.INSTANCE));
          return plain.withPages(web, routes);
        })
        .orElse(plain);
  }

  private static Server server(DispatchServer server) {
    return new Server(
        () -> {
          server.start();
          return server.target();
        },
        server::join,
        server::stop);
  }
}

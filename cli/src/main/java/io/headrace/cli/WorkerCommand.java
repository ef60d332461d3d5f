package io.headrace.cli;

import io.headrace.cli.metrics.Telemetry;
import io.headrace.cli.metrics.WorkerMetrics;
import io.headrace.cli.web.MetricsResource;
import io.headrace.cli.web.Routes;
import io.headrace.cli.web.WebConfig;
import io.headrace.cli.web.WorkerSite;
import io.headrace.cluster.Server;
import io.headrace.cluster.spec.ClusterConfig;
import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerConfig.DataTransfer;
import io.headrace.worker.WorkerHost;
import io.headrace.worker.WorkerServer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace worker}: runs a worker until SIGTERM. */
@Command(
    name = "worker",
    sortOptions = false,
    description = {
      "Run a worker: it runs the tasks that its dispatcher assigns, and serves their elements to"
          + " clients. It also serves sessions, as a task of a TensorFlow cluster: its own, or the"
          + " one of --cluster.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class WorkerCommand implements Callable<Integer> {
  private static final ConfigProto MEMORY_AS_NEEDED =
      ConfigProto.newBuilder().setGpuOptions(GPUOptions.newBuilder().setAllowGrowth(true)).build();

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--dispatcher-address",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The dispatcher to register with. Needed.")
  String dispatcherAddress = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "The port to listen on, on all interfaces; 0 for any free port, or for the port in"
              + " --cluster. Default: ${DEFAULT-VALUE}.")
  int port;

  @Option(
      names = "--worker-address",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:%port%",
      description =
          "The worker's address for the dispatcher and clients; %%port%% stands for the port."
              + " Default: ${DEFAULT-VALUE}.")
  String workerAddress = "";

  @Mixin ServerFlags task = new ServerFlags();

  @Option(
      names = "--worker-tags",
      paramLabel = "TAG",
      split = ",",
      description = "Tags that describe the worker to the dispatcher. Default: none.")
  List<String> workerTags = List.of();

  @Option(
      names = "--devices",
      paramLabel = "gpu|gpu:N[,...]",
      description =
          "The GPUs to which parts of map functions may be pinned, as /gpu:0 and so on: all, or"
              + " those with these numbers. Their memory is taken as it is needed. Default: none.")
  Optional<String> devices = Optional.empty();

  @Mixin TransportFlags transport = new TransportFlags();

  @Option(
      names = "--heartbeat-interval-ms",
      paramLabel = "MS",
      defaultValue = "30000",
      description = "Milliseconds between heartbeats to the dispatcher. Default: ${DEFAULT-VALUE}.")
  long heartbeatIntervalMs;

  @Option(
      names = "--dispatcher-timeout-ms",
      paramLabel = "MS",
      defaultValue = "3600000",
      description =
          "Milliseconds for which a worker that starts, and each task, waits for an"
              + " unresponsive dispatcher. Default: ${DEFAULT-VALUE}.")
  long dispatcherTimeoutMs;

  @Option(
      names = "--shutdown-quiet-period-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description =
          "Milliseconds for which a worker goes on after SIGTERM at the most, until its readers"
              + " have the elements that would be lost with it. Default: ${DEFAULT-VALUE}.")
  long shutdownQuietPeriodMs;

  @Option(
      names = "--data-transfer-protocol",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "The transfer of elements: stream (ours, beside TensorFlow's) or grpc (TensorFlow's"
              + " alone). Default: stream.")
  String dataTransferProtocol = "";

  @Option(
      names = "--data-transfer-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description =
          "The port of the stream: 0 or the same as --port, which serves both. Default:"
              + " ${DEFAULT-VALUE}.")
  int dataTransferPort;

  @Option(
      names = "--data-transfer-address",
      paramLabel = "HOST:PORT",
      defaultValue = "",
      description =
          "The stream's address for clients; %%dts_port%% stands for the port. Default: the"
              + " worker's address.")
  String dataTransferAddress = "";

  @Option(
      names = "--cross-trainer-cache-size-bytes",
      paramLabel = "BYTES",
      defaultValue = "10737418240",
      description =
          "The memory limit of the cross-trainer cache of one task, in bytes. All of them together"
              + " have half of --max-cache-bytes. Default: ${DEFAULT-VALUE} (10 GiB).")
  long crossTrainerCacheSizeBytes;

  @Option(
      names = "--snapshot-max-chunk-size-bytes",
      paramLabel = "BYTES",
      defaultValue = "6442450944",
      description =
          "The size of a file of a distributed snapshot, in bytes, beyond which another begins."
              + " Default: ${DEFAULT-VALUE} (6 GiB).")
  long snapshotMaxChunkSizeBytes;

  @Option(
      names = "--max-cache-bytes",
      paramLabel = "BYTES",
      description =
          "The memory limit of all cache transformations and cross-trainer caches together, in"
              + " bytes; a dataset that needs more fails with RESOURCE_EXHAUSTED. Default: a"
              + " quarter of the heap.")
  Optional<Long> maxCacheBytes = Optional.empty();

  @Option(
      names = "--max-buffer-bytes",
      paramLabel = "BYTES",
      description =
          "The memory limit of all AUTOTUNE buffers of one task together, in bytes; they grow no"
              + " further. Default: an eighth of the heap.")
  Optional<Long> maxBufferBytes = Optional.empty();

  @Mixin TensorFlags tensors = new TensorFlags();

  @Mixin GrpcFlags grpc = new GrpcFlags();

  @Mixin WebFlags web = new WebFlags();

  @Mixin MetricsFlags metrics = new MetricsFlags();

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), this::server);
  }

  /** The configuration; fails with a StatusException that names the invalid flag. */
  WorkerConfig config() {
    refuseUnsupportedFlags();
    return new WorkerConfig(
        Flags.port("--port", port),
        transport.protocol(),
        Flags.address("--dispatcher-address", dispatcherAddress),
        Flags.address("--worker-address", workerAddress),
        Flags.words("--worker-tags", workerTags),
        Flags.millis("--heartbeat-interval-ms", heartbeatIntervalMs),
        Flags.millis("--dispatcher-timeout-ms", dispatcherTimeoutMs),
        dataTransfer(),
        Flags.bytes("--cross-trainer-cache-size-bytes", crossTrainerCacheSizeBytes),
        Flags.bytes("--snapshot-max-chunk-size-bytes", snapshotMaxChunkSizeBytes),
        Flags.millisOrNone("--shutdown-quiet-period-ms", shutdownQuietPeriodMs));
  }

  private DataTransfer dataTransfer() {
    return new DataTransfer(
        Flags.oneOf(
            "--data-transfer-protocol", dataTransferProtocol, List.of("", "stream", "grpc")),
        Flags.port("--data-transfer-port", dataTransferPort),
        dataTransferAddress);
  }

  private void refuseUnsupportedFlags() {
    Flags.refuse(
        "--data-transfer-port",
        dataTransferPort != 0 && dataTransferPort != port,
        "a port of its own for the stream");
  }

  /**
   * The definition of its task in the cluster of the flags, if given; fails as {@link #config}
   * does.
   */
  Optional<ServerDef> definition() {
    Optional<ClusterConfig> cluster = task.cluster();
    if (cluster.isEmpty()) {
      task.refuseTaskWithoutCluster();
    }
    return cluster.map(found ->
        task.task(found, ConfigProto.getDefaultInstance()).toBuilder().setPort(port).build());
  }

  /** The process's settings for the worker; fails as {@link #config} does. */
  WorkerHost host() {
    tensors.apply();
    Flags.bytes("--max-cache-bytes", maxCacheBytes).ifPresent(CacheBudget::setMaxBytes);
    WorkerHost plain =
        WorkerHost.ofProcess().withTimeouts(task.timeouts()).withInspection(grpc.inspection());
    WorkerHost host =
        Flags.bytes("--max-buffer-bytes", maxBufferBytes).map(plain::withBufferBytes).orElse(plain);
    return transport.receiveBudget().map(host::withReceiveBudget).orElse(host);
  }

  /** The server that the flags ask for, not started; fails as {@link #config} does. */
  ServerProcess.Server server() {
    WorkerConfig config = config();
    Optional<ServerDef> definition = definition();
    WorkerHost plain = host();
    Optional<WebConfig> pages = web.config();
    List<Accelerator> gpus =
        devices
            .map(flag -> Flags.gpus("--devices", flag))
            .map(gpu -> gpu.open(MEMORY_AS_NEEDED, System.getenv(), CublasLibraries.NONE))
            .orElse(List.of());
    WorkerHost host = plain.withAccelerators(gpus);
    Optional<Telemetry> telemetry = metrics.start("headrace-worker", pages.isPresent());
    return server(config, definition, host, telemetry, pages)
        .afterwards(() -> Accelerator.closeAll(gpus));
  }

  private ServerProcess.Server server(
      WorkerConfig config,
      Optional<ServerDef> definition,
      WorkerHost host,
      Optional<Telemetry> telemetry,
      Optional<WebConfig> pages) {
    if (definition.isEmpty()) {
      WorkerServer worker = new WorkerServer(config, host);
      return measured(worker, process(worker, worker::join, worker::stop), telemetry, pages);
    }
    Server server = new Server(definition.get(), host.server());
    WorkerServer worker = new WorkerServer(config, host, server);
    // Sessions go on when an operator drains the worker.
    ServerProcess.Server process =
        process(
            worker,
            () -> {
              worker.join();
              server.join();
            },
            server::stop);
    return measured(worker, process, telemetry, pages);
  }

  private static ServerProcess.Server process(
      WorkerServer worker, ServerProcess.Join join, Runnable stop) {
    return new ServerProcess.Server(
        () -> {
          worker.start();
          return worker.target();
        },
        join,
        stop,
        worker::deletedTasks);
  }

  /** The process with its metrics and pages, if it has them. */
  private ServerProcess.Server measured(
      WorkerServer worker,
      ServerProcess.Server process,
      Optional<Telemetry> telemetry,
      Optional<WebConfig> pages) {
    if (telemetry.isEmpty()) {
      return process;
    }
    telemetry.get().export(new WorkerMetrics(worker::counts));
    ServerProcess.Server exporting = process.withExports(telemetry.get());
    return pages
        .map(web -> exporting.withPages(web, routes(worker, telemetry.get())))
        .orElse(exporting);
  }

  private Routes routes(WorkerServer worker, Telemetry telemetry) {
    Routes routes = new Routes();
    WorkerSite.addTo(routes, worker::address, dispatcherAddress, worker::counts);
    routes.add("/metrics", new MetricsResource(telemetry, SystemTicker.INSTANCE));
    return routes;
  }
}

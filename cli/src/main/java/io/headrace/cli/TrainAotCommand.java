package io.headrace.cli;

import io.headrace.cli.drill.DrillFolder;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ServiceCompression;
import io.headrace.client.Transfer;
import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.examples.ClassifierGraph;
import io.headrace.examples.Trainer;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code headrace train-aot}: exercises servers and readers, so that the launcher can record an AOT
 * cache for later starts. Leaves nothing behind, and ends within two minutes in any case.
 */
@Command(name = "train-aot", hidden = true, description = "Warm up for the AOT cache.")
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class TrainAotCommand implements Callable<Integer> {
  private static final int LIMIT_SECONDS = 120;

  /** Enough calls for HotSpot to compile the request path, so that the cache keeps its profiles. */
  private static final int CALLS = 30_000;

  private static final int ROWS = 500_000;
  private static final int STEPS = 12_000;
  private static final int BATCHES = 400;
  private static final int BATCH = 128;
  private static final float LEARNING_RATE = 0.05f;

  /** How often each page's figures are asked for. */
  private static final int LOOKS = 150;

  private static final List<String> DISPATCHER_PATHS =
      List.of(
          "/api/status",
          "/api/jobs/shown/statistics",
          "/api/jobs/shown/history",
          "/metrics",
          "/health");

  private static final List<String> WORKER_PATHS = List.of("/api/worker", "/metrics", "/health");

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS)
        .execute(() -> Runtime.getRuntime().halt(OneLineErrors.FAILED));
    explainCommands();
    try (DrillFolder workDir = DrillFolder.create(Optional.empty(), false);
        var dispatcher = DispatchServer.start(journaling(workDir.path()));
        var _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()))) {
      long read = 0;
      for (Transfer transfer : new Transfer[] {Transfer.GRPC, Transfer.STREAM}) {
        read += read(numbers(transfer == Transfer.GRPC ? CALLS : ROWS), transfer, dispatcher);
        read += read(batches(), transfer, dispatcher);
      }
      Headrace.out(spec).printf("read %d elements%n", read);
    }
    showPages();
    runSteps();
    trainClassifier();
    return 0;
  }

  private static DispatcherConfig journaling(Path workDir) {
    return DispatcherConfig.builder().workDir(workDir.toString()).faultTolerantMode(true).build();
  }

  /** Asks for the figures of a job that is read, as pages and scrapers do. */
  private static void showPages() throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom();
    URI dispatcherPages = URI.create("http://" + address(random));
    URI workerPages = URI.create("http://" + address(random));
    DispatcherCommand dispatcher = new DispatcherCommand();
    var _ = new CommandLine(dispatcher).parseArgs("--http-port=" + dispatcherPages.getPort());
    ServerProcess.Server dispatcherServer = dispatcher.server();
    String target = dispatcherServer.start().get();
    WorkerCommand worker = new WorkerCommand();
    var _ =
        new CommandLine(worker)
            .parseArgs(
                "--dispatcher-address=" + URI.create(target).getAuthority(),
                "--shutdown-quiet-period-ms=0",
                "--http-port=" + workerPages.getPort());
    ServerProcess.Server workerServer = worker.server();
    var _ = workerServer.start().get();
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withJobName("shown");
    Dataset shown = numbers(Long.MAX_VALUE).apply(DataService.distribute(options, target));
    try (ElementIterator iterator = shown.iterator()) {
      for (int i = 0; i < LOOKS; i++) {
        var _ = iterator.next();
        for (String path : DISPATCHER_PATHS) {
          look(dispatcherPages.resolve(path));
        }
        for (String path : WORKER_PATHS) {
          look(workerPages.resolve(path));
        }
      }
    } finally {
      stop(workerServer);
      stop(dispatcherServer);
    }
  }

  private static void stop(ServerProcess.Server server) throws InterruptedException {
    server.stop().run();
    server.join().join();
  }

  private static void look(URI page) throws IOException {
    try (InputStream answer = page.toURL().openStream()) {
      var _ = answer.readAllBytes();
    }
  }

  /** A session on its own server, as a trainer uses it. */
  private static void runSteps() {
    try (Server server = Server.startLocal()) {
      Graph graph = new Graph();
      Output x = graph.placeholder(DataType.FLOAT32, Shape.of(2, 2));
      Output sum = x.matmul(x).add(1f);
      try (Session session = Session.open(server.target(), graph)) {
        Tensor fed = Tensor.wrap(DataType.FLOAT32, Shape.of(2, 2), new float[] {1, 2, 3, 4});
        for (int i = 0; i < STEPS; i++) {
          var _ = session.runner().feed(x, fed).fetch(sum).run();
        }
      }
    }
  }

  /** A trainer whose parameters are on another task. */
  private static void trainClassifier() {
    SplittableRandom random = new SplittableRandom();
    ClusterSpec cluster =
        ClusterSpec.of(Map.of("ps", List.of(address(random)), "worker", List.of(address(random))));
    Tensor images =
        Tensor.wrap(DataType.FLOAT32, Shape.of(BATCH, 28, 28), new float[BATCH * 28 * 28]);
    Tensor labels = Tensor.vector(new int[BATCH]);
    try (Server _ = Server.start(cluster, "ps", 0);
        Server worker = Server.start(cluster, "worker", 0);
        Trainer trainer = new Trainer(worker.target(), new ClassifierGraph(0, LEARNING_RATE))) {
      trainer.initialize();
      for (int i = 0; i < BATCHES; i++) {
        var _ = trainer.learn(images, labels);
      }
    }
  }

  private static String address(SplittableRandom random) {
    return "localhost:" + FreePort.find(random);
  }

  private void explainCommands() {
    for (CommandLine command : spec.root().commandLine().getSubcommands().values()) {
      command.usage(new PrintWriter(Writer.nullWriter()));
    }
  }

  private static Dataset numbers(long count) {
    return Dataset.range(count).map(x -> x.mul(3).add(1)).prefetch(Dataset.AUTOTUNE);
  }

  private static Dataset batches() {
    return Dataset.range(64_000)
        .map(x -> x.cast(DataType.FLOAT32).div(255f).sub(0.5f))
        .shuffle(1_000, 7)
        .batch(128, Dataset.DROP_REMAINDER)
        .prefetch(Dataset.AUTOTUNE);
  }

  private static long read(Dataset dataset, Transfer transfer, DispatchServer dispatcher) {
    long elements = 0;
    for (ServiceCompression compression :
        new ServiceCompression[] {ServiceCompression.NONE, ServiceCompression.AUTO}) {
      DistributeOptions options =
          DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
              .withTransfer(transfer)
              .withCompression(compression);
      Dataset distributed = dataset.apply(DataService.distribute(options, dispatcher.target()));
      try (ElementIterator iterator = distributed.iterator()) {
        while (iterator.hasNext()) {
          Element element = iterator.next();
          elements += element.components().size();
        }
      }
    }
    return elements;
  }
}

package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkerTasksResponse;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceImplBase;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * The pages in Chromium, as people use them: by clicks and by keyboard, at three sizes, light and
 * dark. Not a part of the build, which needs no browser: {@code checks/run pages} runs it. Pictures
 * of all pages lie in {@code cli/target/screenshots} afterwards.
 */
@Timeout(value = 15, unit = MINUTES)
@SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
final class PagesInBrowserCheck {
  private static final String LOGGED = "pages and metrics are at ";
  private static final int MANY_WORKERS = Integer.getInteger("pages.workers", 1000);
  private static final int SIDE = 100;

  /** Sizes in CSS pixels: a phone, a tablet, a window. */
  private static final int[][] SIZES = {{360, 740}, {820, 1180}, {1440, 900}};

  private final Deque<AutoCloseable> running = new ArrayDeque<>();
  private final ExecutorService trainers = Executors.newVirtualThreadPerTaskExecutor();
  private final Browser browser =
      keep(
          Browser.start(
              System.getProperty("chromium", "/usr/bin/chromium"),
              System.getProperty("chromedriver", "/usr/bin/chromedriver")));
  @TempDir private Path workDir;
  private String pages = "";
  private int port;

  private <T extends AutoCloseable> T keep(T started) {
    running.push(started);
    return started;
  }

  @AfterEach
  void stop() throws Exception {
    trainers.shutdownNow();
    while (!running.isEmpty()) {
      running.pop().close();
    }
  }

  private HeadraceProcess startDispatcher(String... flags) throws IOException {
    HeadraceProcess dispatcher =
        keep(
            HeadraceProcess.start(
                Stream.concat(Stream.of("dispatcher", "--work-dir=" + workDir), Stream.of(flags))
                    .toArray(String[]::new)));
    pages = dispatcher.awaitErrorAfter(LOGGED);
    port = dispatcher.awaitReady();
    return dispatcher;
  }

  /** Starts a worker; returns the address of its page. */
  private String startWorker() throws IOException {
    HeadraceProcess worker = launchWorker("--http-port=0");
    String own = worker.awaitErrorAfter(LOGGED);
    var _ = worker.awaitReady();
    return own;
  }

  private HeadraceProcess launchWorker(String... flags) throws IOException {
    return keep(
        HeadraceProcess.start(
            Stream.concat(
                    Stream.of("worker", "--dispatcher-address=localhost:" + port), Stream.of(flags))
                .toArray(String[]::new)));
  }

  /** Begins a job whose map is slow, and whose trainer takes all that it gets. */
  private void beginTraining() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("training");
    ElementIterator elements =
        keep(
            Dataset.range(1L << 40)
                .map(PagesInBrowserCheck::products)
                .batch(4)
                .prefetch(2)
                .apply(DataService.distribute(options, "grpc://localhost:" + port))
                .iterator());
    var _ =
        trainers.submit(() -> {
          while (elements.hasNext()) {
            var _ = elements.next();
          }
        });
  }

  private static Output products(Output x) {
    Output matrix =
        Ops.fill(Ops.constant(Tensor.vector(SIDE, SIDE)), x.cast(DataType.FLOAT32).mul(1e-9));
    for (int i = 0; i < 10; i++) {
      matrix = matrix.matmul(matrix);
    }
    return matrix.sum(0, 1);
  }

  @Test
  void clicks_leadToTheReasonWhyATrainerWaits() throws IOException {
    var _ = startDispatcher("--http-port=0");
    String worker = startWorker();
    beginTraining();
    browser.resize(1440, 900);

    browser.open(pages);
    browser.await("h1", "The cluster at a glance");
    browser.await("tbody td", "readers wait");
    browser.click("tbody a", "training");
    browser.await("h1", "training");
    browser.await(".verdict .sentence", "Map");
    browser.await(".stage.limits", "limits");
    browser.await(".stage", "Range");
    browser.await("figure", "Elements per second");
    browser.awaitCount("figure canvas", 3);
    browser.await("td[data-title=Kind]", "headrace");

    browser.click("dd a", "");
    browser.await("h1", "Dataset ");
    browser.await("ol.plan", "map(");
    browser.await("td[data-title=Policy]", "dynamic");
    browser.click("nav a", "Workers");
    browser.await("tbody", "localhost:");
    browser.click("nav a", "Datasets");
    browser.await("tbody", "yes");
    browser.click("nav a", "Journal");
    browser.await("dd", "takes changes");
    browser.click("header a", "Headrace");
    browser.await("h1", "The cluster at a glance");

    browser.open(worker);
    browser.await("h1", "This worker");
    browser.await("tbody", "Map");
    browser.assertQuiet();
  }

  @Test
  void losses_areToldAsTheyHappen() throws IOException, InterruptedException {
    var _ = startDispatcher("--http-port=0");
    var _ = startWorker();
    HeadraceProcess second = launchWorker();
    var _ = second.awaitReady();
    beginTraining();
    browser.open(pages);
    browser.await("tbody td", "readers wait");
    browser.click("tbody a", "training");
    browser.await("h1", "training");

    second.kill();

    browser.await("ol.events", "ended with its worker");
    browser.await("ol.events", "settlement");
    browser.screenshot("losses");
    browser.assertQuiet();
  }

  @Test
  void keyboard_leadsToTheSame_andTheFocusStaysWhenAPageIsDrawnAnew() throws IOException {
    var _ = startDispatcher("--http-port=0");
    var _ = startWorker();
    beginTraining();
    browser.open(pages);
    browser.await("tbody td", "readers wait");

    browser.type(Keys.TAB);
    assertThat(browser.isFocused(".skip")).isTrue();
    browser.type(Keys.ENTER);
    assertThat(browser.isFocused("#content")).isTrue();
    browser.tabTo("tbody a");
    browser.script("document.activeElement.old = true");
    browser.awaitCount("tbody a:focus", 1);
    while (browser.script("return document.activeElement.old === true").equals(true)) {
      Thread.onSpinWait(); // until the table is drawn anew
    }
    assertThat(browser.isFocused("tbody a")).isTrue();
    browser.type(Keys.ENTER);
    browser.await("h1", "training");
    browser.tabTo(".chain");

    browser.reload();
    browser.await("h1", "training");
    browser.tabTo("nav a[href='#/workers']");
    browser.type(Keys.ENTER);
    browser.await("h1", "Workers");
    browser.await("tbody", "localhost:");
    browser.tabTo("input[type=search]");
    browser.type("no such worker");
    browser.await(".empty", "No worker");
    browser.assertQuiet();
  }

  @Test
  void pages_fitAndAreAccessible_atThreeSizes_lightAndDark() throws IOException {
    var _ = startDispatcher("--http-port=0");
    String worker = startWorker();
    beginTraining();
    for (int[] size : SIZES) {
      browser.resize(size[0], size[1]);
      for (String scheme : new String[] {"light", "dark"}) {
        browser.prefer(scheme);
        String suffix = "-" + size[0] + "-" + scheme;
        browser.open(pages);
        browser.await("tbody td", "readers wait");
        look("cluster" + suffix);
        browser.click("tbody a", "training");
        browser.await(".verdict .sentence", "Map");
        browser.awaitCount("figure canvas", 3);
        look("job" + suffix);
        browser.click("dd a", "");
        browser.await("ol.plan", "map(");
        look("dataset" + suffix);
        browser.click("nav a", "Workers");
        browser.await("tbody", "localhost:");
        look("workers" + suffix);
        browser.click("nav a", "Datasets");
        browser.await("tbody", "yes");
        look("datasets" + suffix);
        browser.click("nav a", "Journal");
        browser.await("dd", "takes changes");
        look("journal" + suffix);
        browser.open(worker);
        browser.await("tbody", "Map");
        look("worker" + suffix);
      }
    }
    browser.assertQuiet();
  }

  private void look(String name) throws IOException {
    browser.screenshot(name);
    browser.assertFits();
    browser.assertAccessible();
  }

  @Test
  void dispatcherThatIsAway_isSaid_untilItIsBack() throws IOException, InterruptedException {
    HeadraceProcess first = startDispatcher("--http-port=0");
    browser.open(pages);
    browser.await(".card", "Workers");
    String here = pages;

    first.kill();
    browser.await("#trouble", "no answer; this page shows the last one");
    browser.await(".card", "Workers");
    int httpPort = URI.create(here).getPort();
    var _ = startDispatcher("--http-port=" + httpPort);

    assertThat(pages).isEqualTo(here);
    browser.awaitCount("#trouble[hidden]", 1);
    // Chromium itself says that nobody answered.
    browser.assertQuiet("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE");
  }

  @Test
  void aThousandWorkers_areShownInParts_andFiltered() throws IOException {
    var _ = startDispatcher("--http-port=0");
    ManagedChannel channel = GrpcChannels.open("localhost:" + port);
    var _ = keep(() -> GrpcChannels.close(channel));
    var stub = DispatcherServiceGrpc.newBlockingStub(channel);
    int workerPort =
        keep(GrpcServer.start(GrpcServerConfig.onPort(0), List.of(new IdleWorker().bindService())))
            .port();
    for (int i = 0; i < MANY_WORKERS; i++) {
      // Every address of this network is this machine.
      String worker = "127.0.%d.%d:%d".formatted(i / 100, i % 100 + 1, workerPort);
      var _ =
          stub.workerHeartbeat(
              WorkerHeartbeatRequest.newBuilder()
                  .setWorkerAddress(worker)
                  .addTransferServers(
                      DataTransferServerInfo.newBuilder().setProtocol("grpc").setAddress(worker))
                  .build());
    }
    browser.open(pages + "#/workers");

    browser.await(".note", "50 of 1000");
    browser.awaitCount("tbody tr", 50);
    browser.click("button", "Show more");
    browser.awaitCount("tbody tr", 100);
    browser.tabTo("input[type=search]");
    browser.type("127.0.5.56:");
    browser.awaitCount("tbody tr", 1);
    browser.await("tbody", "127.0.5.56:");
    browser.assertFits();
    browser.assertAccessible();
    browser.assertQuiet();
  }

  /** A worker as the dispatcher looks at it, without tasks. */
  private static final class IdleWorker extends WorkerServiceImplBase {
    @Override
    public void getWorkerTasks(
        GetWorkerTasksRequest request, StreamObserver<GetWorkerTasksResponse> reply) {
      reply.onNext(GetWorkerTasksResponse.getDefaultInstance());
      reply.onCompleted();
    }
  }
}

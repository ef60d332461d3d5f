package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stock consumers that read in step, on dispatchers and workers of both kinds. In each step their
 * elements must be consecutive ones of one worker; the script checks it.
 */
final class ConsumersInStepTest {
  private static final int SECONDS = 300;

  private final Servers servers = new Servers();
  private final Servers dispatchers = new Servers();
  private final Servers doomed = new Servers();
  @TempDir private Path workDir;

  @AfterEach
  void stopServers() {
    servers.close();
    doomed.close();
    dispatchers.close();
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace, 3", "headrace, stock, 2", "stock, headrace, 2"})
  void workerThatJoins_isTakenIn(String dispatchers, String workers, int consumers)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker(servers, workers, dispatcher);
    ManagedProcess client = servers.startConsumers(dispatcher, consumers, "joined 2");
    awaitReading(client);
    startWorker(servers, workers, dispatcher);
    assertEnds(client);
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace"})
  void workerThatIsKilled_isLeftByAll(String dispatchers, String workers)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker(servers, workers, dispatcher);
    startWorker(doomed, workers, dispatcher);
    ManagedProcess client = servers.startConsumers(dispatcher, 2, "left");
    awaitReading(client);
    doomed.killLast();
    client.say("go on");
    assertEnds(client);
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace"})
  void workerThatIsKilledAndBackAtItsPort_isReadOn(String dispatchers, String workers)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    String worker = startWorker(doomed, workers, dispatcher, 0);
    ManagedProcess client = servers.startConsumers(dispatcher, 3, "paused joined 2");
    awaitReading(client);
    doomed.killLast();
    var _ = startWorker(servers, workers, dispatcher, port(worker));
    client.say("go on");
    assertEnds(client);
  }

  @ParameterizedTest
  @ValueSource(strings = {"headrace", "stock"})
  void tenWorkers_areTakenInOneAfterTheOther(String dispatchers) throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    List<WorkerServer> workers = new ArrayList<>();
    try {
      workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher)));
      ManagedProcess client = servers.startConsumers(dispatcher, 2, "joined 10");
      awaitReading(client);
      while (workers.size() < 10) {
        workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher)));
      }
      assertEnds(client);
    } finally {
      workers.forEach(WorkerServer::close);
    }
  }

  @ParameterizedTest
  @CsvSource({"headrace, headrace", "headrace, stock", "stock, headrace"})
  void dispatcherThatIsKilledAndBack_takesInAnotherWorker(String dispatchers, String workers)
      throws InterruptedException {
    String dispatcher = startDispatcher(dispatchers, 0);
    startWorker(servers, workers, dispatcher);
    ManagedProcess client = servers.startConsumers(dispatcher, 2, "joined 2");
    awaitReading(client);
    this.dispatchers.killLast();
    var _ = startDispatcher(dispatchers, port(dispatcher));
    startWorker(servers, workers, dispatcher);
    assertEnds(client);
  }

  private String startDispatcher(String kind, int port) throws InterruptedException {
    return kind.equals("stock")
        ? dispatchers.startStockDispatcher(Integer.toString(port), "", workDir.toString())
        : dispatchers.startHeadraceDispatcher("--port=" + port, "--work-dir=" + workDir);
  }

  private static void startWorker(Servers servers, String kind, String dispatcher)
      throws InterruptedException {
    var _ = startWorker(servers, kind, dispatcher, 0);
  }

  private static String startWorker(Servers servers, String kind, String dispatcher, int port)
      throws InterruptedException {
    return kind.equals("stock")
        ? servers.startStockWorker(dispatcher, port, 0)
        : servers.startHeadraceWorker(dispatcher, "--port=" + port);
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private static void awaitReading(ManagedProcess client) throws InterruptedException {
    assertThat(client.awaitLine("reading", SECONDS)).isEmpty();
  }

  private static void assertEnds(ManagedProcess client) throws InterruptedException {
    assertThat(client.awaitLine("end ", SECONDS)).matches("\\d+");
    assertThat(client.awaitEnd(SECONDS)).isZero();
  }
}

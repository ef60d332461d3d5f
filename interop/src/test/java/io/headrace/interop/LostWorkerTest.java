package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stock client of Headrace's dispatcher while workers register, die and return. */
final class LostWorkerTest {
  private static final int N = 5000;

  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  @Test
  void read_oneOfTwoWorkersIsKilled_endsWithWhatTheOtherMade() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    try (Servers doomed = new Servers()) {
      doomed.startHeadraceWorker(dispatcher);
      ManagedProcess client = servers.startCounting(dispatcher, N);
      client.awaitLine("reading", 180);
      doomed.killLast();
      assertThat(client.awaitLine("end", 300)).endsWith(" " + N);
    }
  }

  @Test
  void read_oneOfTwoStockWorkersIsKilled_endsWithWhatTheOtherMade() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startStockWorker(dispatcher);
    try (Servers doomed = new Servers()) {
      doomed.startStockWorker(dispatcher);
      ManagedProcess client = servers.startCounting(dispatcher, N);
      client.awaitLine("reading", 180);
      doomed.killLast();
      assertThat(client.awaitLine("end", 300)).endsWith(" " + N);
    }
  }

  @Test
  void read_onlyWorkerIsKilledAndBackAtItsAddress_goesOn() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    try (Servers first = new Servers();
        Servers second = new Servers()) {
      String worker = first.startHeadraceWorker(dispatcher);
      ManagedProcess client = servers.startCounting(dispatcher, N);
      client.awaitLine("reading", 180);
      first.killLast();
      String port = worker.substring(worker.lastIndexOf(':') + 1);
      second.startHeadraceWorker(dispatcher, "--port=" + port);
      assertThat(client.awaitLine("end", 300)).endsWith(" " + N);
    }
  }

  @Test
  void read_workerJoinsInMidIteration_readsFromItToo() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    ManagedProcess client = servers.startCounting(dispatcher, N);
    client.awaitLine("reading", 180);
    servers.startHeadraceWorker(dispatcher);
    assertThat(client.awaitLine("end", 300)).isEqualTo(" " + 2 * N + " " + N);
  }

  @Test
  void read_beforeAnyServer_waitsForThem() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.killLast();
    ManagedProcess client = servers.startCounting(dispatcher, N);
    String port = dispatcher.substring(dispatcher.lastIndexOf(':') + 1);
    servers.startHeadraceDispatcher("--port=" + port);
    servers.startHeadraceWorker(dispatcher);
    assertThat(client.awaitLine("end", 300)).isEqualTo(" " + N + " " + N);
  }
}

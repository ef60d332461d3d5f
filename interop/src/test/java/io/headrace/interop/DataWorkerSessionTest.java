package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A stock client opens sessions on a data worker that serves a stock reader meanwhile. */
final class DataWorkerSessionTest {
  @Test
  void worker_servesSessionsAndElements_atOnePort() throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servers.startHeadraceDispatcher();
      String cluster = "{\"data\": [\"" + Servers.freeAddress() + "\"]}";
      String worker =
          servers.startHeadraceWorker(
              dispatcher, "--cluster=" + cluster, "--job-name=data", "--task-index=0");
      assertThat(cluster).contains(worker.substring(worker.lastIndexOf(':')));
      ManagedProcess reader = servers.startCounting(dispatcher, 20);
      var command = StockTensorFlow.command("iterators.py", "grpc://" + worker);
      try (var client = ManagedProcess.start("iterators", command, StockTensorFlow.ENVIRONMENT)) {
        assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
      }
      assertThat(reader.awaitLine("end ", 120)).isEqualTo("20 20");
    }
  }
}

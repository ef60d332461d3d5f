package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DispatcherInspection;
import io.headrace.client.DispatcherOperations;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.WorkerStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The work of operators while a stock client reads. */
final class OperatorsTest {
  private static final int N = 5000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  private static DispatcherOperations operate(String dispatcher) {
    return DispatcherOperations.of("grpc://" + dispatcher, TIMEOUT);
  }

  private static DispatcherInspection inspect(String dispatcher) {
    return DispatcherInspection.of("grpc://" + dispatcher, TIMEOUT);
  }

  @Test
  void drainedWorker_costsAStockClientNothing() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    String drained = servers.startHeadraceWorker(dispatcher);
    ManagedProcess client = servers.startCounting(dispatcher, N, "distributed_epoch");
    client.awaitLine("reading", 180);

    try (DispatcherOperations operations = operate(dispatcher)) {
      assertThat(operations.drain(drained, false).getActiveTasks()).isEqualTo(1);
    }

    assertThat(client.awaitLine("end", 300)).isEqualTo(" " + N + " " + N);
    try (DispatcherInspection inspection = inspect(dispatcher)) {
      assertThat(inspection.status(10).getWorkersList())
          .extracting(WorkerStatus::getAddress)
          .doesNotContain(drained)
          .hasSize(1);
      assertThat(inspection.status(10).getDispatcher().getElementsMissing()).isZero();
      assertThat(inspection.status(10).getDispatcher().getSplitsMissing()).isZero();
    }
  }

  @Test
  void stockWorker_isDrainedByItsTasks() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    String drained = servers.startStockWorker(dispatcher);
    try (DispatcherOperations operations = operate(dispatcher);
        DispatcherInspection inspection = inspect(dispatcher)) {
      assertThat(operations.drain(drained, false).getKind()).isEqualTo(PeerKind.STOCK);
      servers.startHeadraceWorker(dispatcher);
      ManagedProcess client = servers.startCounting(dispatcher, N);

      assertThat(client.awaitLine("end", 300)).isEqualTo(" " + N + " " + N);

      assertThat(inspection.status(10).getWorkersList())
          .filteredOn(worker -> worker.getAddress().equals(drained))
          .singleElement()
          .matches(worker -> worker.getState() == WorkerStatus.State.DRAINING);
    }
  }

  @Test
  void endedJob_failsAStockClient_whichSaysWhy() throws InterruptedException {
    String dispatcher = servers.startHeadraceDispatcher();
    servers.startHeadraceWorker(dispatcher);
    ManagedProcess client = servers.startCounting(dispatcher, 1_000_000);
    client.awaitLine("reading", 180);

    try (DispatcherOperations operations = operate(dispatcher);
        DispatcherInspection inspection = inspect(dispatcher)) {
      JobStatus job = inspection.status(10).getJobs(0);
      assertThat(operations.endJob(Long.toString(job.getId())).getReaders()).isEqualTo(1);

      assertThat(client.awaitEnd(180)).isNotZero();
      assertThat(client.tailOfLog()).contains("was ended by an operator");
      assertThat(inspection.status(10).getJobsList()).isEmpty();
    }
  }
}

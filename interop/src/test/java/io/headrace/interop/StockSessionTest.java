package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stock client opens sessions on Headrace's server; both kinds of variables. */
final class StockSessionTest {
  private static final Servers SERVERS = new Servers();
  private static String server = "";

  @BeforeAll
  static void start() throws InterruptedException {
    server = SERVERS.startHeadraceServer();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    try (SERVERS) {
      assertThat(SERVERS.stopLast()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ref", "resource"})
  void everyCase_passes(String variables) throws InterruptedException {
    var command = StockTensorFlow.command("sessions.py", "grpc://" + server, variables);
    try (var client = ManagedProcess.start("sessions", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  @Test
  void stepsThatWaitForOneAnother_doAsOnAStockServer() throws InterruptedException {
    var command = StockTensorFlow.command("coordination.py", "grpc://" + server);
    try (var client = ManagedProcess.start("coordination", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  @Test
  void iteratorsOverDatasets_giveTheirElements() throws InterruptedException {
    var command = StockTensorFlow.command("iterators.py", "grpc://" + server);
    try (var client = ManagedProcess.start("iterators", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }
}

package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A stock client in TensorFlow 1's graph mode reads Headrace's service. */
final class StockGraphModeTest {
  @Test
  void everyDataset_isAsInStockTensorFlowAlone() throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servers.startHeadraceDispatcher();
      servers.startHeadraceWorker(dispatcher);
      var command = StockTensorFlow.command("graph_mode.py", "grpc://" + dispatcher);
      try (var client = ManagedProcess.start("graph_mode", command, StockTensorFlow.ENVIRONMENT)) {
        assertThat(client.awaitEnd(600)).as(client.tailOfLog()).isZero();
      }
    }
  }
}

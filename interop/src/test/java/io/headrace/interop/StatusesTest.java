package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Headrace's and stock servers answer the same requests with the same statuses. */
final class StatusesTest {
  @Test
  void everyRow_isAnsweredAsByStock() throws InterruptedException {
    var command = StockTensorFlow.command("statuses.py", HeadraceLauncher.launcher());
    try (var client = ManagedProcess.start("statuses", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(1200)).as(client.tailOfLog()).isZero();
    }
  }
}

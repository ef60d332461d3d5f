package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Headrace's servers and stock ones, asked the same, answer with the same statuses. */
final class StatusesTest {
  @Test
  void everyRow_isAnsweredAsByStock() throws InterruptedException {
    var command = StockTensorFlow.command("statuses.py", Headrace.launcher());
    try (var client = ManagedProcess.start("statuses", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(1200)).as(client.tailOfLog()).isZero();
    }
  }
}

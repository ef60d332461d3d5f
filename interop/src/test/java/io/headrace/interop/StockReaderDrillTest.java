package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code headrace drill} with TensorFlow's own client as its reader. */
final class StockReaderDrillTest {
  @Test
  void workerKill_costsNoMoreThanTheDispatcherCounts() throws InterruptedException {
    List<String> command =
        new ArrayList<>(HeadraceLauncher.command("drill", "worker-kill", "--reader=stock"));
    command.add("--python=" + TestPaths.python());
    command.addAll(List.of("--records-per-file=100", "--read-seconds=4", "--json"));
    try (var drill = ManagedProcess.start("drill", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(drill.awaitLine("      \"guarantee\": ", 300)).isEqualTo("\"at_most_once\",");
      assertThat(drill.awaitLine("      \"losses_told\": ", 1)).isNotEqualTo("0,");
      String breaches = drill.awaitLine("      \"breaches\": ", 1);
      if (!breaches.equals("[]")) {
        fail(drill.awaitLine("        \"", 1));
      }
      assertThat(drill.awaitEnd(60)).isZero();
    }
  }
}

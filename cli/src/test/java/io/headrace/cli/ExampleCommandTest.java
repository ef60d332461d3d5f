package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class ExampleCommandTest {
  @Test
  void training_startsACluster_learns_andLeavesNothingRunning()
      throws IOException, InterruptedException {
    try (var training = HeadraceProcess.start("example", "training", "--workers=1", "--steps=10")) {
      training.awaitOutput("trainer 0: step ");
      List<ProcessHandle> servers = training.children();
      String accuracy = training.awaitOutput("accuracy on images that training never saw: ");
      training.awaitEnd();

      assertThat(servers).hasSize(4).noneMatch(ProcessHandle::isAlive);
      assertThat(new Scanner(accuracy).useLocale(Locale.ROOT).nextDouble()).isBetween(10.0, 100.0);
    }
  }

  @Test
  void pins_areComputedByProcesses() throws IOException, InterruptedException {
    try (var pins = HeadraceProcess.start("example", "pins")) {
      CommandRun run = pins.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).contains("c = a * b = 3.0 where the session is: grpc://localhost:");
    }
  }

  @Test
  void training_withoutWorkers_isRefused() {
    CommandRun run = CommandRun.of("example", "training", "--workers=0");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("--workers must be 1 or more, not 0");
  }

  @Test
  void noExample_isRefusedInOneLine() {
    CommandRun run = CommandRun.of("example");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("headrace example: no example given; see headrace example --help\n");
  }
}

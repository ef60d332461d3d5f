package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.examples.PinnedOperations;
import io.headrace.examples.WorkerGpus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
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
  void pins_areComputedOnTheGpuOfThisMachine() throws IOException, InterruptedException {
    try (var pins =
        HeadraceProcess.start(
            FakeGpuHeadrace.class, "example", "pins", "--in-process", "--devices=gpu:0")) {
      CommandRun run = pins.awaitEnd();

      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).contains("b = a + 2 = 3.0 on /job:worker/task:0/device:GPU:0");
    }
  }

  @Test
  void pins_areComputedByProcesses_eachWithAGpu() throws IOException {
    List<String> command = new ArrayList<>(ThisProgram.command());
    command.set(command.size() - 1, FakeGpuHeadrace.class.getName());
    var gpus = new WorkerGpus(List.of("gpu:1", "gpu:0"), WorkerGpus.NONE.opener());
    var out = new StringWriter();

    float c = PinnedOperations.runOnProcesses(command, gpus, new PrintWriter(out));

    assertThat(c).isEqualTo(3f);
    assertThat(out.toString())
        .contains("device /job:worker/replica:0/task:1/device:GPU:0")
        .contains("b = a + 2 = 3.0 on /job:worker/task:0/device:GPU:0")
        .doesNotContain("GPU:1", "/job:ps/replica:0/task:0/device:GPU");
  }

  @Test
  void pins_withoutTheGpu_tellTheReasonOfTheServer_andEnd()
      throws IOException, InterruptedException {
    try (var pins = HeadraceProcess.start("example", "pins", "--devices=gpu:999")) {
      CommandRun run = pins.awaitEnd();

      assertThat(run.status()).isEqualTo(1);
      assertThat(run.err())
          .contains("headrace server: there is no GPU")
          .endsWith(
              "headrace example pins: the cluster did not start: the server ended before it was"
                  + " ready\n");
      assertThat(run.err().lines()).allMatch(line -> line.startsWith("headrace "));
    }
  }

  @Test
  void devices_thatAreNoGpus_areRefusedAtTheFlag() {
    for (String example : List.of("pins", "training")) {
      CommandRun run = CommandRun.of("example", example, "--devices=cpu");

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err())
          .isEqualTo(
              "headrace example %s: --devices: GPUs are named gpu, or gpu:N with commas between"
                  + " several, not cpu\n",
              example);
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

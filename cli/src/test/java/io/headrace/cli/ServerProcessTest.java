package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class ServerProcessTest {
  private static final int HALTED = 128 + 15;

  @Test
  void dispatcher_sigterm_stopsInOrder_withNothingMoreOnStandardOutput()
      throws IOException, InterruptedException {
    try (var dispatcher = HeadraceProcess.start("dispatcher")) {
      assertThat(dispatcher.awaitReady()).isPositive();

      CommandRun run = dispatcher.terminate().awaitEnd();

      assertThat(run.status()).isZero();
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void dispatcher_takenPort_isRefusedInOneLine() throws IOException, InterruptedException {
    try (var first = HeadraceProcess.start("dispatcher")) {
      int port = first.awaitReady();
      try (var second = HeadraceProcess.start("dispatcher", "--port=" + port)) {
        CommandRun run = second.awaitEnd();

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).hasLineCount(1).contains("headrace dispatcher: ", "" + port);
      }
    }
  }

  @Test
  void server_sigterm_stopsInOrder() throws IOException, InterruptedException {
    try (var server = HeadraceProcess.start("server")) {
      assertThat(server.awaitReady()).isPositive();

      CommandRun run = server.terminate().awaitEnd();

      assertThat(run.status()).isZero();
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void server_takenPort_isRefusedInOneLine_thatNamesTheAddress()
      throws IOException, InterruptedException {
    try (var first = HeadraceProcess.start("server")) {
      String address = "localhost:" + first.awaitReady();
      try (var second =
          HeadraceProcess.start("server", "--cluster={\"w\": [\"" + address + "\"]}")) {
        CommandRun run = second.awaitEnd();

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
            .hasLineCount(1)
            .startsWith("headrace server: Could not start gRPC server at " + address + ": ");
      }
    }
  }

  @Test
  void worker_sigterm_stopsInOrder() throws IOException, InterruptedException {
    try (var dispatcher = HeadraceProcess.start("dispatcher");
        var worker = startWorker(dispatcher.awaitReady())) {
      assertThat(worker.awaitReady()).isPositive();

      assertThat(worker.terminate().awaitEnd().status()).isZero();
    }
  }

  @Test
  void worker_takenPort_isRefusedInOneLine() throws IOException, InterruptedException {
    try (var dispatcher = HeadraceProcess.start("dispatcher")) {
      int port = dispatcher.awaitReady();
      try (var worker = startWorker(port, "--port=" + port)) {
        CommandRun run = worker.awaitEnd();

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).hasLineCount(1).contains("headrace worker: ", "" + port);
      }
    }
  }

  @Test
  void worker_secondSigterm_stopsAtOnce() throws IOException, InterruptedException {
    try (var dispatcher = HeadraceProcess.start("dispatcher");
        var worker = startWorker(dispatcher.awaitReady())) {
      worker.awaitReady();
      // A worker says goodbye to its dispatcher, and this one does not answer.
      signal("STOP", dispatcher);
      worker.terminate().awaitError("a second signal stops at once");

      assertThat(worker.terminate().awaitEnd().status()).isEqualTo(HALTED);
      signal("CONT", dispatcher);
    }
  }

  private static void signal(String name, HeadraceProcess process)
      throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatcher", "worker"})
  void unknownFlag_isRefusedInOneLine(String command) throws IOException, InterruptedException {
    try (var server = HeadraceProcess.start(command, "--dispatcher-address=a:1", "--fast=1")) {
      CommandRun run = server.awaitEnd();

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).hasLineCount(1).contains("unknown flag");
    }
  }

  private static HeadraceProcess startWorker(int dispatcherPort, String... more)
      throws IOException {
    String[] args = new String[2 + more.length];
    args[0] = "worker";
    args[1] = "--dispatcher-address=localhost:" + dispatcherPort;
    System.arraycopy(more, 0, args, 2, more.length);
    return HeadraceProcess.start(args);
  }
}

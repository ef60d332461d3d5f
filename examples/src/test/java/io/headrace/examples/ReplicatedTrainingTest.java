package io.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainers on servers in this process. */
final class ReplicatedTrainingTest {
  private static final int STEPS = 40;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer feeder =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final LocalTaskCluster tasks =
      LocalTaskCluster.startHere(
          LocalTaskCluster.cluster(Map.of("ps", 1, "worker", 2)), WorkerGpus.NONE);
  private final List<String> workers = tasks.targets("worker");
  private final StringWriter out = new StringWriter();

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    tasks.close();
    feeder.close();
    dispatcher.close();
  }

  private ReplicatedTraining.Result train(List<String> workers, long steps, Writer to)
      throws IOException {
    return ReplicatedTraining.on(workers, dispatcher.target(), folder, steps, new PrintWriter(to));
  }

  @Test
  void twoTrainers_learnTogether() throws IOException {
    ReplicatedTraining.Result result = train(workers, STEPS, out);

    assertThat(result.accuracy()).isBetween(0.4, 1.0);
    assertThat(result.examplesPerSecond()).isPositive();
    assertThat(out.toString()).contains("trainer 0: step ").contains("trainer 1: step ");
  }

  @Test
  void trainerThatFails_stopsTheOther_andIsTold() {
    Writer resetting =
        new StringWriter() {
          @Override
          public void write(String line, int begin, int length) {
            if (line.startsWith("trainer 1: step")) {
              // Ends only the sessions of its own master: the container has no variables.
              Session.reset(workers.get(1), List.of("none"), Duration.ofMinutes(1));
            }
          }
        };

    assertThatThrownBy(() -> train(workers, Long.MAX_VALUE, resetting))
        .hasMessageContaining("a trainer failed")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.ABORTED);
  }

  @Test
  void workerOfAnotherCluster_isRefused() {
    try (Server elsewhere = Server.startLocal()) {
      List<String> mixed = List.of(workers.getFirst(), elsewhere.target());

      assertThatThrownBy(() -> train(mixed, STEPS, out))
          .hasMessageContaining("/job:ps")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }
}

package io.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Server;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainers on servers that are all in this process. */
final class ReplicatedTrainingTest {
  private static final int STEPS = 40;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer feeder =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final LocalTasks tasks =
      LocalTasks.startHere(LocalTasks.cluster(Map.of("ps", 1, "worker", 2)));
  private final StringWriter out = new StringWriter();

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    tasks.close();
    feeder.close();
    dispatcher.close();
  }

  private ReplicatedTraining.Result train(List<String> workers, long steps) throws IOException {
    return ReplicatedTraining.on(workers, dispatcher.target(), folder, steps, new PrintWriter(out));
  }

  @Test
  void twoTrainers_learnTogether() throws IOException {
    ReplicatedTraining.Result result = train(tasks.targets("worker"), STEPS);

    assertThat(result.accuracy()).isBetween(0.4, 1.0);
    assertThat(result.examplesPerSecond()).isPositive();
    assertThat(out.toString()).contains("trainer 0: step ").contains("trainer 1: step ");
  }

  @Test
  void trainerThatFails_stopsTheOther_andIsTold() {
    try (Server elsewhere = Server.startLocal()) {
      List<String> workers = List.of(tasks.targets("worker").getFirst(), elsewhere.target());

      assertThatThrownBy(() -> train(workers, Long.MAX_VALUE))
          .hasMessageContaining("a trainer failed")
          .hasMessageContaining("/job:ps")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }
}

package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A step while its other task, stock or ours, is suspended. */
final class FrozenTaskTest {
  private final Graph g = new Graph();

  private static void signal(String signal, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
    assertThat(kill.waitFor()).isZero();
  }

  @ParameterizedTest(name = "stock ps: {0}")
  @ValueSource(booleans = {true, false})
  void step_isUnavailable_untilTheTaskGoesOn(boolean stockPs)
      throws IOException, InterruptedException {
    String ps = Servers.freeAddress();
    String worker = Servers.freeAddress();
    String cluster = "{\"ps\": [\"" + ps + "\"], \"worker\": [\"" + worker + "\"]}";
    try (Servers servers = new Servers()) {
      servers.startHeadraceServer(
          "--cluster=" + cluster, "--job-name=worker", "--task-index=0", "--peer-timeout-ms=5000");
      if (stockPs) {
        servers.startStockTask(cluster, "ps");
      } else {
        servers.startHeadraceTask(cluster, "ps");
      }
      assertStepsFollow(servers.lastPid(), "grpc://" + worker);
    }
  }

  private void assertStepsFollow(long ps, String target) throws IOException, InterruptedException {
    Output one;
    try (var _ = g.device("/job:ps/task:0")) {
      one = g.constant(1f);
    }
    Output two;
    try (var _ = g.device("/job:worker/task:0")) {
      two = one.add(1f);
    }
    try (Session session = Session.open(target, g)) {
      assertThat(session.run(two).compact().floats()[0]).isEqualTo(2f);
      signal("STOP", ps);
      assertThatThrownBy(() -> session.run(two))
          .hasMessageContainingAll("/job:ps/replica:0/task:0", "sign of life")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.UNAVAILABLE);
      signal("CONT", ps);
      assertThat(session.run(two).compact().floats()[0]).isEqualTo(2f);
    }
  }
}

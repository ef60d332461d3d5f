package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.cluster.SessionCallable;
import io.headrace.cluster.Variable;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our sessions on clusters of two tasks, each stock or ours; the worker's task is the master. */
final class JavaSessionTest {
  private static final Duration RESET = Duration.ofSeconds(60);

  private final Graph g = new Graph();

  private static float value(Tensor scalar) {
    return scalar.compact().floats()[0];
  }

  @ParameterizedTest(name = "stock ps: {0}, stock worker: {1}")
  @CsvSource({"true, true", "true, false", "false, true"})
  void session_onTwoTasks_computesTrainsAndIsReset(boolean stockPs, boolean stockWorker)
      throws InterruptedException {
    String ps = Servers.freeAddress();
    String worker = Servers.freeAddress();
    String cluster = "{\"ps\": [\"" + ps + "\"], \"worker\": [\"" + worker + "\"]}";
    try (Servers servers = new Servers()) {
      start(servers, cluster, "ps", stockPs);
      start(servers, cluster, "worker", stockWorker);
      try (Session session = Session.open("grpc://" + worker, g)) {
        computes(session);
        trains(session);
        calls(session);
        isReset(session, "grpc://" + worker);
      }
    }
  }

  private static void start(Servers servers, String cluster, String job, boolean isStock)
      throws InterruptedException {
    if (isStock) {
      servers.startStockTask(cluster, job);
    } else {
      servers.startHeadraceTask(cluster, job);
    }
  }

  private void computes(Session session) {
    Output a;
    Output b;
    try (var _ = g.device("/job:ps/task:0/cpu:0")) {
      a = g.constant(1f);
    }
    try (var _ = g.device("/job:worker/task:0")) {
      b = a.add(2f);
    }
    assertThat(value(session.run(a.mul(b)))).isEqualTo(3f);
    assertThat(session.devices().stream().map(DeviceAttributes::getName))
        .contains(
            "/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0");
  }

  /** Fits y = 2 x, with the variable on the parameter server and the rest on the worker. */
  private void trains(Session session) {
    Variable w;
    try (var _ = g.device("/job:ps/task:0")) {
      w = g.variable("w", Tensor.scalar(0f));
    }
    Output x = g.placeholder(DataType.FLOAT32, Shape.of(-1));
    Output y = g.placeholder(DataType.FLOAT32, Shape.of(-1));
    Output loss = x.mul(w.value()).sub(y).square().mean(0);
    Output gradient = g.gradients(loss, List.of(w.value())).getFirst();
    Operation train = w.descend(gradient, g.constant(0.1f));
    session.run(g.initializer());
    for (int step = 0; step < 50; step++) {
      var _ =
          session
              .runner()
              .feed(x, Tensor.vector(1f, 2f))
              .feed(y, Tensor.vector(2f, 4f))
              .target(train)
              .run();
    }
    assertThat(value(session.run(w.value()))).isCloseTo(2f, within(1e-3f));
  }

  private void calls(Session session) {
    Output x = g.placeholder(DataType.FLOAT32, Shape.SCALAR);
    try (SessionCallable triple = session.callable(List.of(x), List.of(x.mul(3f)), List.of())) {
      assertThat(value(triple.call(List.of(Tensor.scalar(2f))).getFirst())).isEqualTo(6f);
    }
    assertThatThrownBy(() -> session.run(x.mul(4f)))
        .hasMessageContaining("You must feed a value for placeholder tensor")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  private void isReset(Session session, String target) {
    Session.reset(target, List.of(), RESET);
    Output one = g.constant(1f);
    assertThatThrownBy(() -> session.run(one))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.ABORTED);
  }
}

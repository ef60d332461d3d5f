package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Java sessions on Java servers. */
@Timeout(120)
final class SessionTest {
  private final Server server = Server.startLocal();
  private final Graph g = new Graph();

  @AfterEach
  void stop() {
    server.stop();
  }

  private Session open() {
    return Session.open(server.target(), g);
  }

  private static float value(Tensor scalar) {
    return scalar.compact().floats()[0];
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, Runnable action) {
    return assertThatThrownBy(action::run)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  /** An address with a port that was just free: the tasks of a cluster must know all addresses. */
  private static String freeAddress() {
    return "localhost:" + FreePort.find(new Random());
  }

  @Test
  void run_ofOperationsPinnedToTwoTasks_givesTheirResult() throws IOException {
    ClusterSpec cluster =
        ClusterSpec.of(Map.of("ps", List.of(freeAddress()), "worker", List.of(freeAddress())));
    try (Server ps = Server.start(cluster, "ps", 0);
        Server worker = Server.start(cluster, "worker", 0)) {
      Output a;
      Output b;
      try (var _ = g.device("/job:ps/task:0/cpu:0")) {
        a = g.constant(1f);
      }
      try (var _ = g.device("/job:worker/task:0")) {
        b = a.add(2f);
      }
      for (Server master : List.of(ps, worker)) {
        try (Session s = Session.open(master.target(), g)) {
          assertThat(value(s.run(b.mul(b)))).isEqualTo(9f);
          assertThat(s.devices().stream().map(DeviceAttributes::getName))
              .contains("/job:ps/replica:0/task:0/device:CPU:0");
        }
      }
    }
  }

  @Test
  void run_afterMoreWasAdded_sendsIt() {
    Output x = g.constant(2f);
    try (Session s = open()) {
      assertThat(value(s.run(x))).isEqualTo(2f);
      Output y = x.mul(3f);
      assertThat(value(s.run(y))).isEqualTo(6f);
      assertThat(s.run(List.of(y, x, y)).stream().map(SessionTest::value))
          .containsExactly(6f, 2f, 6f);
    }
  }

  @Test
  void tensors_thatAStepKeeps_areThereForLaterOnesOfTheSession() {
    Output kept = g.op("GetSessionHandle").input(g.constant(3f)).build();
    Output handle = g.placeholder(DataType.STRING, Shape.SCALAR);
    Output read = g.op("GetSessionTensor").input(handle).attr("dtype", DataType.FLOAT32).build();
    Operation delete = g.op("DeleteSessionTensor").input(handle).buildOperation();
    try (Session s = open();
        Session other = open()) {
      Tensor name = s.run(kept);
      assertThat(value(s.runner().feed(handle, name).fetch(read).run().getFirst())).isEqualTo(3f);
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> other.runner().feed(handle, name).fetch(read).run())
          .hasMessageContaining("is not in the session store");
      var _ = s.runner().feed(handle, name).target(delete).run();
      assertFails(
              StatusCode.INVALID_ARGUMENT, () -> s.runner().feed(handle, name).target(delete).run())
          .hasMessageContaining("Failed to delete a tensor with handle");
    }
  }

  @Test
  void run_withFeeds_computesFromThem() {
    Output x = g.placeholder(DataType.FLOAT32, Shape.of(-1));
    Output sum = x.sum(0);
    try (Session s = open()) {
      Tensor fed = Tensor.vector(1f, 2f, 3f);
      assertThat(s.runner().feed(x, fed).fetch(sum).run().stream().map(SessionTest::value))
          .containsExactly(6f);
      assertFails(StatusCode.INVALID_ARGUMENT, () -> s.run(sum))
          .hasMessageContaining("You must feed a value for placeholder tensor 'Placeholder'");
      assertFails(
              StatusCode.INVALID_ARGUMENT, () -> s.runner().feed(x, Tensor.vector(1L, 2L)).run())
          .hasMessageContaining("int64");
      assertFails(StatusCode.INVALID_ARGUMENT, () -> s.runner().run());
    }
  }

  @Test
  void callable_runsManyTimes_andIsForgotten() {
    Output x = g.placeholder(DataType.FLOAT32, Shape.SCALAR);
    Output twice = x.mul(2f);
    try (Session s = open()) {
      SessionCallable callable = s.callable(List.of(x), List.of(twice), List.of());
      for (float i = 0; i < 3; i++) {
        assertThat(value(callable.call(List.of(Tensor.scalar(i))).getFirst())).isEqualTo(2 * i);
      }
      assertFails(StatusCode.INVALID_ARGUMENT, () -> callable.call(List.of()));
      callable.close();
      callable.close();
      assertFails(StatusCode.INVALID_ARGUMENT, () -> callable.call(List.of(Tensor.scalar(1f))));
    }
  }

  @Test
  void variables_outliveTheirSession_untilTheMasterIsReset() {
    Variable v = g.variable("v", Tensor.scalar(5f));
    Operation more = v.assignAdd(g.constant(1f));
    Operation initialize = g.initializer();
    try (Session s = open()) {
      assertFails(StatusCode.FAILED_PRECONDITION, () -> s.run(v.value())).hasMessageContaining("v");
      s.run(initialize);
      s.run(more);
    }
    try (Session s = open()) {
      assertThat(value(s.run(v.value()))).isEqualTo(6f);
      Session.reset(server.target(), List.of(), Duration.ofSeconds(30));
      assertFails(StatusCode.ABORTED, () -> s.run(v.value()));
    }
    try (Session s = open()) {
      assertFails(StatusCode.FAILED_PRECONDITION, () -> s.run(v.value()));
    }
  }

  /** Fits y = 2 x - 1 to points on the line. */
  @Test
  void gradients_descendToTheLeastLoss() {
    Variable w = g.variable("w", Tensor.scalar(0f));
    Variable b = g.variable("b", Tensor.scalar(0f));
    Output x = g.placeholder(DataType.FLOAT32, Shape.of(-1));
    Output y = g.placeholder(DataType.FLOAT32, Shape.of(-1));
    Output loss = x.mul(w.value()).add(b.value()).sub(y).square().mean(0);
    List<Output> gradients = g.gradients(loss, List.of(w.value(), b.value()));
    Output rate = g.constant(0.1f);
    Operation train =
        g.group(List.of(w.descend(gradients.get(0), rate), b.descend(gradients.get(1), rate)));
    Operation initialize = g.initializer();
    try (Session s = open()) {
      s.run(initialize);
      List<Float> losses = new ArrayList<>();
      for (int step = 0; step < 200; step++) {
        losses.add(
            value(
                s.runner()
                    .feed(x, Tensor.vector(-1f, 0f, 1f, 2f))
                    .feed(y, Tensor.vector(-3f, -1f, 1f, 3f))
                    .target(train)
                    .fetch(loss)
                    .run()
                    .getFirst()));
      }
      assertThat(losses.getLast()).isLessThan(1e-4f).isLessThan(losses.getFirst());
      assertThat(value(s.run(w.value()))).isCloseTo(2f, within(0.02f));
      assertThat(value(s.run(b.value()))).isCloseTo(-1f, within(0.02f));
    }
  }

  @Test
  void gradients_ofWhatDoesNotMatter_areRefused() {
    Output x = g.constant(1f);
    assertFails(StatusCode.INVALID_ARGUMENT, () -> g.gradients(g.constant(2f).square(), List.of(x)))
        .hasMessageContaining("Const:0");
  }

  @Test
  void failureOfAKernel_namesItsNode() {
    Output wrong = g.placeholder(DataType.FLOAT32, Shape.UNKNOWN).reshape(2, 2);
    try (Session s = open()) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () ->
                  s.runner()
                      .feed(wrong.operation().inputs().getFirst(), Tensor.vector(1f, 2f, 3f))
                      .fetch(wrong)
                      .run())
          .hasMessageContaining("{{node Reshape}}");
    }
  }

  @Test
  void masterThatDoesNotListen_isWaitedForUntilTheTimeout() throws IOException {
    ConfigProto hasty = ConfigProto.newBuilder().setOperationTimeoutInMs(200).build();
    try (Session s = Session.open("grpc://" + freeAddress(), g, hasty)) {
      Output x = g.constant(1f);
      assertFails(StatusCode.DEADLINE_EXCEEDED, () -> s.run(x));
    }
  }

  @Test
  void masterThatStartsLater_isWaitedFor() throws InterruptedException {
    ServerDef local = ServerDefs.local(ConfigProto.getDefaultInstance());
    Output x = g.constant(3f);
    try (Server late = new Server(local, ServerHost.ofProcess());
        Session s = Session.open(late.target(), g)) {
      Thread starter = Thread.startVirtualThread(late::start);
      assertThat(value(s.run(x))).isEqualTo(3f);
      starter.join();
    }
  }

  @Test
  void cancelledStep_ends() throws IOException {
    Output x = g.constant(1f);
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    try (Session s = Session.open("grpc://" + freeAddress(), g)) {
      assertFails(StatusCode.CANCELLED, () -> s.runner().fetch(x).cancelledBy(cancellation).run());
    }
  }

  @Test
  void close_endsTheWaitForAMaster() throws IOException, InterruptedException {
    Output x = g.constant(1f);
    Session s = Session.open("grpc://" + freeAddress(), g);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread runner = Thread.startVirtualThread(() -> failure.set(catchThrowable(() -> s.run(x))));
    while (runner.getState() != Thread.State.WAITING) {
      Thread.sleep(10);
    }

    s.close();

    runner.join();
    assertThat(StatusException.codeOf(failure.get())).isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void closedSession_runsNothing() {
    Output x = g.constant(1f);
    Session s = open();
    var _ = s.run(x);
    s.close();
    s.close();
    assertFails(StatusCode.FAILED_PRECONDITION, () -> s.run(x));
  }

  @Test
  void targetOfAnotherKind_isRefused() {
    assertFails(StatusCode.NOT_FOUND, () -> Session.open("local", g));
    assertFails(StatusCode.INVALID_ARGUMENT, () -> Session.open("grpc://nowhere", g));
  }
}

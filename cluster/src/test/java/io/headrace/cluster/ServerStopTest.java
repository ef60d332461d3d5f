package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.ManagedChannel;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.MasterServiceGrpc.MasterServiceBlockingStub;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.PartialRunSetupRequest;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The outcome of steps and sessions when their server is stopped. */
@Timeout(180)
final class ServerStopTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final ClusterSpec cluster =
      ClusterSpec.of(
          Map.of(
              "ps", List.of("localhost:" + TwoTasksTest.freePort()),
              "worker", List.of("localhost:" + TwoTasksTest.freePort())));
  private final Graph g = new Graph();

  /** On the worker. */
  private final Output queue = queue();

  private final Output taken = taken();

  /** On the parameter server, which waits for the element that the worker dequeues. */
  private final Output doubled = doubled();

  private final Operation put = put();
  private final Output one = g.constant(1);
  private final Output far = far();

  private Output queue() {
    try (var _ = g.device("/job:worker/task:0")) {
      return g.op("FIFOQueueV2")
          .types("component_types", List.of(DataType.INT32))
          .shapes("shapes", List.of(Shape.SCALAR))
          .attr("shared_name", "numbers")
          .build();
    }
  }

  private Output taken() {
    return g.op("QueueDequeueV2")
        .input(queue)
        .types("component_types", List.of(DataType.INT32))
        .build();
  }

  private Output doubled() {
    try (var _ = g.device("/job:ps/task:0")) {
      return taken.mul(2);
    }
  }

  private Operation put() {
    try (var _ = g.device("/job:worker/task:0")) {
      return g.op("QueueEnqueueV2")
          .input(queue)
          .inputs(List.of(g.constant(21)))
          .types("Tcomponents", List.of(DataType.INT32))
          .buildOperation();
    }
  }

  private Output far() {
    try (var _ = g.device("/job:ps/task:0")) {
      return g.constant(3);
    }
  }

  private Server server(String job, Duration stop) {
    Server server =
        new Server(
            ServerDefs.of(cluster, ServerDefs.Overrides.task(job, 0)),
            ServerHost.ofProcess().withTimeouts(Timeouts.DEFAULT.withStop(stop)));
    server.start();
    return server;
  }

  private Server ps = server("ps", LONG);
  private Server worker = server("worker", LONG);

  @AfterEach
  void stop() {
    ps.close();
    worker.close();
  }

  private void restart(Duration stop) {
    ps.close();
    worker.close();
    ps = server("ps", stop);
    worker = server("worker", stop);
  }

  private static <T> CompletableFuture<T> start(Supplier<T> action) {
    return CompletableFuture.supplyAsync(action, Thread::startVirtualThread);
  }

  private static CompletableFuture<Void> stopping(Server server) {
    return start(() -> {
      server.stop();
      return null;
    });
  }

  /** Runs steps until one is refused because the server stops. */
  private static void awaitRefusal(Supplier<Tensor> step) {
    Throwable failure;
    do {
      failure = catchThrowable(step::get);
    } while (failure == null);
    assertThat(failure).hasMessageContaining("stops: it takes no new sessions or steps");
    assertThat(StatusException.codeOf(failure)).isEqualTo(StatusCode.UNAVAILABLE);
  }

  /** Waits until a step, which blocks on the queue, is running. */
  private static void awaitRunning(Server server) throws InterruptedException {
    while (server.runningSteps() == 0) {
      Thread.sleep(5);
    }
  }

  @Test
  void stepThatRuns_endsWithItsResult_andNewOnesAreRefused() throws InterruptedException {
    try (Session atPs = Session.open(ps.target(), g);
        Session atWorker = Session.open(worker.target(), g)) {
      var _ = atWorker.run(one);
      CompletableFuture<Tensor> step = start(() -> atPs.run(taken));
      awaitRunning(ps);
      CompletableFuture<Void> stopped = stopping(ps);
      awaitRefusal(() -> atPs.run(one));
      assertThat(step).isNotDone();
      atWorker.run(put);
      assertThat(step.join().integer(0)).isEqualTo(21);
      stopped.join();
    }
  }

  @Test
  void partOfAnotherTasksStep_isLetEnd() throws InterruptedException {
    try (Session atWorker = Session.open(worker.target(), g)) {
      CompletableFuture<Tensor> step = start(() -> atWorker.run(doubled));
      awaitRunning(ps);
      CompletableFuture<Void> stopped = stopping(ps);
      awaitRefusal(() -> atWorker.run(far));
      assertThat(stopped).isNotDone();
      atWorker.run(put);
      assertThat(step.join().integer(0)).isEqualTo(42);
      stopped.join();
    }
  }

  @Test
  void stepThatDoesNotEndInTime_isAborted() throws InterruptedException {
    restart(SHORT);
    try (Session atWorker = Session.open(worker.target(), g)) {
      CompletableFuture<Throwable> step = start(() -> catchThrowable(() -> atWorker.run(taken)));
      awaitRunning(worker);
      worker.stop();
      assertThat(StatusException.codeOf(step.join())).isEqualTo(StatusCode.ABORTED);
      assertThat(step.join())
          .hasMessageContaining(
              "the server at " + worker.target() + " stops, and the step did not end within 50 ms");
    }
  }

  @Test
  void stepWhosePartAtAnotherTaskDoesNotEndInTime_isAborted() throws InterruptedException {
    restart(SHORT);
    try (Session atWorker = Session.open(worker.target(), g)) {
      CompletableFuture<Throwable> step = start(() -> catchThrowable(() -> atWorker.run(doubled)));
      awaitRunning(ps);
      ps.stop();
      assertThat(StatusException.codeOf(step.join())).isEqualTo(StatusCode.ABORTED);
      assertThat(step.join())
          .hasMessageContainingAll("/job:ps/replica:0/task:0", ps.target() + " stops");
    }
  }

  @Test
  void sessionThatWaitsForATask_isRefusedAtOnce() throws InterruptedException {
    ps.close();
    ManagedChannel channel = GrpcChannels.open(worker.target().substring("grpc://".length()));
    try {
      MasterServiceBlockingStub master = MasterServiceGrpc.newBlockingStub(channel);
      CompletableFuture<Throwable> opened =
          start(() ->
              catchThrowable(
                  () -> master.createSession(CreateSessionRequest.getDefaultInstance())));
      Thread.sleep(50); // the reply is the same before and during the wait
      worker.stop();
      assertThat(opened.join()).hasMessageContaining("UNAVAILABLE");
    } finally {
      GrpcChannels.close(channel);
    }
  }

  private static NamedTensorProto feed(String name, Tensor value) {
    return NamedTensorProto.newBuilder().setName(name).setTensor(TensorProtos.write(value)).build();
  }

  @Test
  void partialRun_goesOnWhileItsServerStops() {
    Graph sums = new Graph();
    Output x = sums.placeholder(DataType.INT32, Shape.SCALAR);
    Output y = sums.placeholder(DataType.INT32, Shape.SCALAR);
    Output sum = x.add(y);
    try (Server alone = Server.startLocal()) {
      ManagedChannel channel = GrpcChannels.open(alone.target().substring("grpc://".length()));
      try {
        MasterServiceBlockingStub master = MasterServiceGrpc.newBlockingStub(channel);
        String session = create(master, sums.toGraphDef());
        String run =
            master
                .partialRunSetup(
                    PartialRunSetupRequest.newBuilder()
                        .setSessionHandle(session)
                        .addFeed(x.name())
                        .addFeed(y.name())
                        .addFetch(sum.name())
                        .build())
                .getPartialRunHandle();
        RunStepRequest.Builder part =
            RunStepRequest.newBuilder()
                .setSessionHandle(session)
                .setPartialRunHandle(run)
                .setStoreErrorsInResponseBody(true);
        assertThat(master.runStep(part.clone().addFeed(feed(x.name(), Tensor.scalar(1))).build()))
            .extracting(RunStepResponse::getStatusErrorMessage)
            .isEqualTo("");
        CompletableFuture<Void> stopped = stopping(alone);
        while (isOpen(master)) {
          Thread.onSpinWait();
        }
        RunStepResponse last =
            master.runStep(
                part.addFeed(feed(y.name(), Tensor.scalar(2))).addFetch(sum.name()).build());
        assertThat(last.getStatusErrorMessage()).isEmpty();
        assertThat(TensorProtos.read(last.getTensor(0).getTensor()).integer(0)).isEqualTo(3);
        stopped.join();
      } finally {
        GrpcChannels.close(channel);
      }
    }
  }

  private static String create(MasterServiceBlockingStub master, GraphDef graph) {
    return master
        .createSession(
            CreateSessionRequest.newBuilder()
                .setGraphDef(graph)
                .setConfig(ConfigProto.getDefaultInstance())
                .build())
        .getSessionHandle();
  }

  private static boolean isOpen(MasterServiceBlockingStub master) {
    return catchThrowable(() -> create(master, GraphDef.getDefaultInstance())) == null;
  }

  @Test
  void stop_whileAnotherStops_waitsForIt() {
    CompletableFuture<Void> first = stopping(ps);
    ps.stop();
    first.join();
    assertThatThrownBy(ps::start).hasMessage("Server has stopped.");
  }
}

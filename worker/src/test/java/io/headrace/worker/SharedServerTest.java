package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A data worker and a session server at one port. */
@Timeout(120)
final class SharedServerTest {
  private final FakeDispatcher dispatcher = FakeDispatcher.stock();
  private final WorkerConfig config = WorkerConfig.forDispatcher(dispatcher.address());

  @AfterEach
  void stop() {
    dispatcher.close();
  }

  private static int computed(String target) {
    Graph g = new Graph();
    try (Session session = Session.open(target, g)) {
      return session.run(g.constant(2).mul(3)).compact().ints()[0];
    }
  }

  private static void askForTasks(String address) {
    ManagedChannel channel = GrpcChannels.open(address);
    try {
      WorkerServiceBlockingStub stub =
          WorkerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
      var _ = stub.getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance());
      var _ = stub.getElement(GetElementRequest.newBuilder().setTaskId(7).build());
    } catch (RuntimeException e) {
      throw GrpcStatuses.fromGrpc(e);
    } finally {
      GrpcChannels.close(channel);
    }
  }

  @Test
  void worker_isATaskOfItsOwnCluster() {
    try (WorkerServer worker = WorkerServer.start(config)) {
      assertThat(computed(worker.target())).isEqualTo(6);
      try (Session session = Session.open(worker.target(), new Graph())) {
        assertThat(session.devices())
            .extracting(DeviceAttributes::getName)
            .containsExactly("/job:localhost/replica:0/task:0/device:CPU:0");
      }
    }
  }

  @Test
  void worker_joinsAServer_andLeavesIt() {
    ClusterSpec cluster = ClusterSpec.of(Map.of("data", List.of("localhost:0")));
    try (Server server = Server.start(cluster, "data", 0)) {
      WorkerServer worker = WorkerServer.start(config, server);
      assertThat(worker.target()).isEqualTo(server.target());
      assertThat(dispatcher.nextHeartbeat().getWorkerAddress())
          .isEqualTo("localhost:" + server.port());
      assertThatThrownBy(() -> askForTasks(worker.address())).hasMessageContaining("Task 7");
      assertThatThrownBy(() -> WorkerServer.start(config, server))
          .isInstanceOfSatisfying(
              StatusException.class,
              e -> assertThat(e.code()).isEqualTo(StatusCode.ALREADY_EXISTS));

      worker.stop();

      assertThat(computed(server.target())).isEqualTo(6);
      assertThatThrownBy(() -> askForTasks(worker.address()))
          .hasMessageContaining("shutting down")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.CANCELLED);
      try (WorkerServer next = WorkerServer.start(config, server)) {
        assertThatThrownBy(() -> askForTasks(next.address())).hasMessageContaining("Task 7");
      }
    }
  }

  @Test
  void server_stopsItsWorker() throws InterruptedException {
    Server server = Server.startLocal();
    WorkerServer worker = WorkerServer.start(config, server);

    server.stop();

    worker.join();
    assertThatThrownBy(worker::start).hasMessageContaining("after it has been stopped");
    assertThatThrownBy(() -> WorkerServer.start(config, server)).hasMessage("Server has stopped.");
    try (WorkerServer next = WorkerServer.start(config.withPort(server.port()))) {
      assertThat(next.port()).isEqualTo(server.port());
    }
  }

  @Test
  void anotherPort_isRefused() {
    try (Server server = Server.startLocal()) {
      assertThatThrownBy(() -> WorkerServer.start(config.withPort(1), server))
          .hasMessageContaining("the worker shares the port of its server, " + server.port());
    }
  }
}

package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.headrace.cluster.Server;
import io.headrace.proto.headrace.SendHeartbeatRequest;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.rpc.FreePort;
import io.headrace.rpc.GrpcChannels;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker's health, as gRPC's clients ask for it. */
@Timeout(120)
final class WorkerHealthTest {
  private static final String SERVICE = "tensorflow.data.WorkerService";

  private final Server server = Server.startLocal();
  private final ManagedChannel channel = GrpcChannels.open("localhost:" + server.port());

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private Iterator<HealthCheckResponse> watch(String service) {
    return HealthGrpc.newBlockingStub(channel).watch(of(service));
  }

  private ServingStatus check(String service) {
    return HealthGrpc.newBlockingStub(channel).check(of(service)).getStatus();
  }

  @Test
  void worker_servesOnceItsDispatcherHasAnswered() {
    int port = FreePort.find(RandomGenerator.getDefault());
    WorkerServer worker =
        new WorkerServer(
            WorkerConfig.forDispatcher("localhost:" + port), WorkerHost.ofProcess(), server);
    CompletableFuture<Void> starting = CompletableFuture.runAsync(worker::start);
    Iterator<HealthCheckResponse> watch = watchOnceThere();
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(check(SERVICE)).isEqualTo(ServingStatus.NOT_SERVING);

    try (FakeDispatcher _ = FakeDispatcher.stockAt(port)) {
      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
      starting.join();
      assertThat(check("")).isEqualTo(ServingStatus.SERVING);
      assertThat(check(SERVICE)).isEqualTo(ServingStatus.SERVING);
    }
  }

  /** The worker attaches its services on a thread of its own. */
  private Iterator<HealthCheckResponse> watchOnceThere() {
    while (true) {
      Iterator<HealthCheckResponse> watch = watch(SERVICE);
      try {
        assertThat(watch.hasNext()).isTrue();
        return watch;
      } catch (RuntimeException e) {
        assertThat(e).hasMessageContaining("UNIMPLEMENTED");
      }
    }
  }

  @Test
  void worker_thatLeaves_servesNoMore_untilAnotherTakesItsPlace() {
    try (FakeDispatcher dispatcher = FakeDispatcher.ours()) {
      WorkerConfig config = WorkerConfig.forDispatcher(dispatcher.address());
      WorkerServer worker = WorkerServer.start(config, server);
      Iterator<HealthCheckResponse> watch = watch("");
      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);

      worker.stop();

      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      assertThatThrownBy(watch::next).hasMessageContaining("ends the watch of its health");
      assertThat(check(SERVICE)).isEqualTo(ServingStatus.NOT_SERVING);
      try (WorkerServer _ = WorkerServer.start(config, server)) {
        assertThat(check(SERVICE)).isEqualTo(ServingStatus.SERVING);
      }
    }
  }

  @Test
  void worker_thatAnOperatorDrains_servesNoMore() {
    try (FakeDispatcher dispatcher = FakeDispatcher.ours()) {
      WorkerServer worker =
          WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()), server);
      Iterator<HealthCheckResponse> watch = watch("");
      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
      dispatcher.drains = true;

      var _ =
          WorkerExtensionsGrpc.newBlockingStub(channel)
              .sendHeartbeat(SendHeartbeatRequest.getDefaultInstance());

      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      worker.stop();
    }
  }
}

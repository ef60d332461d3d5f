package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.rpc.GrpcChannels;
import io.opentelemetry.api.metrics.MeterProvider;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A dispatcher's health, as gRPC's clients ask for it. */
@Timeout(60)
final class DispatcherHealthTest {
  private final CompletableFuture<Void> broken = new CompletableFuture<>();
  private final DispatchServer server =
      DispatchServer.create(DispatcherConfig.defaults(), this::parts);
  private final ManagedChannel channel = started();

  private ManagedChannel started() {
    server.start();
    return GrpcChannels.open(server.address());
  }

  /** Those of a dispatcher whose clock fails once it is {@code broken}. */
  private DispatcherDependencies parts() {
    DispatcherDependencies system =
        DispatcherDependencies.system(
            DispatcherConfig.defaults(), MeterProvider.noop().get("test"));
    return new DispatcherDependencies(
        system.executor(),
        system.background(),
        () -> {
          if (broken.isDone()) {
            throw new OutOfMemoryError("of a test");
          }
          return system.ticker().nanoTime();
        },
        system.timer(),
        system.journal(),
        system.network(),
        system.random(),
        system.splitSources(),
        system.limits(),
        system.meter(),
        system.onClose());
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.stop(Duration.ZERO);
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private Iterator<HealthCheckResponse> watch(String service) {
    return HealthGrpc.newBlockingStub(channel).watch(of(service));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "tensorflow.data.DispatcherService"})
  void dispatcher_thatRuns_serves(String service) {
    assertThat(HealthGrpc.newBlockingStub(channel).check(of(service)).getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void dispatcher_thatIsStopped_saysSo_andDoesNotWaitForThoseWhoWatch() {
    Iterator<HealthCheckResponse> watch = watch("");
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);

    server.stop(Duration.ofDays(1));

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThatThrownBy(watch::next).hasMessageContaining("ends the watch of its health");
  }

  @Test
  void dispatcher_thatEndsByItself_saysSo() {
    Iterator<HealthCheckResponse> watch = watch("");
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    broken.complete(null);

    assertThatThrownBy(() ->
            DispatcherServiceGrpc.newBlockingStub(channel)
                .getOrRegisterDataset(TestDispatcher.dataset("RangeDataset")))
        .hasMessageContaining("UNAVAILABLE");

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThatThrownBy(watch::next).hasMessageContaining("ends the watch of its health");
  }
}

package io.headrace.rpc.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ServerHealthTest {
  private static final String SERVICE = "test.Service";

  private final ServerHealth health = new ServerHealth(SERVICE);
  private final GrpcServer server =
      GrpcServer.start(GrpcServerConfig.onPort(0), List.of(health.service()));
  private final ManagedChannel channel = GrpcChannels.open("localhost:" + server.port());

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.stop(Duration.ZERO);
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private ServingStatus check(String service) {
    return HealthGrpc.newBlockingStub(channel).check(of(service)).getStatus();
  }

  private Iterator<HealthCheckResponse> watch(String service) {
    return HealthGrpc.newBlockingStub(channel).watch(of(service));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", SERVICE})
  void server_servesFromItsStartToItsLeave(String name) {
    assertThat(check(name)).isEqualTo(ServingStatus.NOT_SERVING);
    health.serve();
    assertThat(check(name)).isEqualTo(ServingStatus.SERVING);
    health.leave();
    assertThat(check(name)).isEqualTo(ServingStatus.NOT_SERVING);
  }

  @Test
  void serve_afterTheLeave_hasNoEffect() {
    health.leave();
    health.leave();
    health.serve();

    assertThat(check("")).isEqualTo(ServingStatus.NOT_SERVING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", SERVICE})
  void watch_isToldOfEachChange(String name) {
    Iterator<HealthCheckResponse> watch = watch(name);

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    health.serve();
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    health.leave();
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
  }

  @Test
  void anotherService_isUnknown() {
    assertThatThrownBy(() -> check("test.Other")).hasMessageContaining("NOT_FOUND");
    assertThat(watch("test.Other").next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
  }

  @Test
  void nameThatIsTooLong_isRefused_beforeItIsKept() {
    String name = "x".repeat(257);

    assertThatThrownBy(() -> check(name)).hasMessageContaining("INVALID_ARGUMENT: the name of a");
    assertThatThrownBy(() -> watch(name).next())
        .hasMessageContaining("INVALID_ARGUMENT: the name of a");
  }

  @Test
  void endWatches_endsThem_andThoseThatFollow() {
    Iterator<HealthCheckResponse> before = watch("");
    assertThat(before.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);

    health.endWatches();

    assertThatThrownBy(before::next).hasMessageContaining("ends the watch of its health");
    assertThatThrownBy(() -> watch("").next()).hasMessageContaining("ends the watch of its health");
    assertThat(check("")).isEqualTo(ServingStatus.NOT_SERVING);
  }
}

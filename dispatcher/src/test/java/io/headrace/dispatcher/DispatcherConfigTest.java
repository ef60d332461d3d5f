package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class DispatcherConfigTest {
  @Test
  void defaults_areTensorFlows() {
    DispatcherConfig config = DispatcherConfig.defaults();

    assertThat(config.port()).isZero();
    assertThat(config.protocol()).isEqualTo("grpc");
    assertThat(config.jobGcTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.clientTimeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.workerTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.workerMaxConcurrentSnapshots()).isEqualTo(3);
    assertThat(config.workerAddresses()).isEmpty();
  }

  @Test
  void gcInterval_isAQuarterOfTheShortestTimeout_unlessConfigured() {
    DispatcherConfig followed =
        DispatcherConfig.builder().datasetGcTimeout(Duration.ofSeconds(30)).build();
    DispatcherConfig said = followed.toBuilder().jobGcCheckInterval(Duration.ofMinutes(10)).build();

    assertThat(DispatcherConfig.defaults().jobGcCheckInterval()).isEqualTo(Duration.ofSeconds(75));
    assertThat(followed.jobGcCheckInterval()).isEqualTo(Duration.ofMillis(7500));
    assertThat(
            followed.toBuilder().clientTimeout(Duration.ofMillis(5)).build().jobGcCheckInterval())
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(said.toBuilder().build().jobGcCheckInterval()).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void toBuilder_keepsAll() {
    DispatcherConfig config =
        DispatcherConfig.builder()
            .port(5050)
            .workDir("/w")
            .faultTolerantMode(true)
            .takeOver(true)
            .jobGcTimeout(Duration.ofMillis(-1))
            .maxReceiveBytes(77)
            .build();

    assertThat(config.toBuilder().build()).isEqualTo(config);
  }

  @Test
  void workDir_alone_meansFaultTolerance() {
    DispatcherConfig.Builder builder = DispatcherConfig.builder().workDir("/w");

    assertThat(builder.build().faultTolerantMode()).isTrue();
    assertThat(builder.build().toBuilder().build().faultTolerantMode()).isTrue();
    assertThat(builder.faultTolerantMode(false).build().faultTolerantMode()).isFalse();
    assertThat(DispatcherConfig.defaults().faultTolerantMode()).isFalse();
  }

  @Test
  void faultTolerance_withoutWorkDir_isInvalid() {
    assertRefused(StatusCode.INVALID_ARGUMENT, "work_dir", c -> c.faultTolerantMode(true));
  }

  @Test
  void workDir_inABucket_keepsItsEndpoint() {
    DispatcherConfig config =
        DispatcherConfig.builder()
            .workDir("gs://bucket/some/path")
            .faultTolerantMode(true)
            .gcsEndpoint("http://localhost:4443")
            .build();

    assertThat(config.toBuilder().build()).isEqualTo(config);
  }

  @Test
  void workDir_thatNamesNoBucket_isInvalid() {
    assertRefused(StatusCode.INVALID_ARGUMENT, "gs://b names no bucket", c -> c.workDir("gs://b"));
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "the path of gs://bucket/a//b",
        c -> c.workDir("gs://bucket/a//b"));
  }

  @Test
  void gcsEndpoint_withoutABucket_isInvalid() {
    assertRefused(
        StatusCode.INVALID_ARGUMENT, "gcsEndpoint", c -> c.gcsEndpoint("http://h:1").workDir("/w"));
  }

  @Test
  void concurrentSnapshots_belowOne_areInvalid() {
    assertRefused(
        StatusCode.INVALID_ARGUMENT, "Snapshots", c -> c.workerMaxConcurrentSnapshots(-1));
  }

  @Test
  void portOutOfRange_isInvalid() {
    assertRefused(StatusCode.INVALID_ARGUMENT, "port", c -> c.port(65_536));
    assertRefused(StatusCode.INVALID_ARGUMENT, "port", c -> c.port(-1));
  }

  @Test
  void negativeTimeout_isInvalid() {
    assertRefused(
        StatusCode.INVALID_ARGUMENT, "clientTimeout", c -> c.clientTimeout(Duration.ofMillis(-1)));
  }

  @Test
  void otherProtocol_isNotFoundInTensorFlowsWords() {
    assertRefused(
        StatusCode.NOT_FOUND, "No credentials factory has been registered", c -> c.protocol("tcp"));
  }

  @Test
  @SuppressWarnings("NullAway") // the nulls that it refuses
  void nulls_areRefusedByTheNameOfTheProperty() {
    assertThatThrownBy(() -> DispatcherConfig.builder().workDir(null))
        .hasMessage("workDir is null");
    assertThatThrownBy(() -> DispatcherConfig.builder().clientTimeout(null))
        .hasMessage("clientTimeout is null");
  }

  private static void assertRefused(
      StatusCode code, String message, UnaryOperator<DispatcherConfig.Builder> change) {
    assertFails(code, () -> change.apply(DispatcherConfig.builder()).build())
        .hasMessageContaining(message);
  }
}

package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkerConfigTest {
  private static final WorkerConfig CONFIG = WorkerConfig.forDispatcher("grpc://host:5050");

  @Test
  void defaults_areTensorFlows_exceptForTheQuietPeriod() {
    assertThat(CONFIG)
        .isEqualTo(
            new WorkerConfig(
                0,
                "grpc",
                "host:5050",
                "localhost:%port%",
                List.of(),
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                new WorkerConfig.DataTransfer("", 0, ""),
                10_737_418_240L,
                6_442_450_944L,
                Duration.ofSeconds(10)));
  }

  @Test
  void dispatcherAddress_mustBeThere() {
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> WorkerConfig.forDispatcher("  "));
    assertRefused(StatusCode.NOT_FOUND, () -> WorkerConfig.forDispatcher("http://host:1"));
  }

  @Test
  void port_mustBeOne() {
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> CONFIG.withPort(-1));
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> CONFIG.withPort(65_536));
  }

  @Test
  void emptyTag_isRefused() {
    assertRefused(StatusCode.FAILED_PRECONDITION, () -> CONFIG.withWorkerTags(List.of("a", "")));
  }

  @Test
  void heartbeatInterval_mustBePositive() {
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> CONFIG.withHeartbeatInterval(Duration.ZERO));
  }

  @Test
  void transferThatThereIsNoneOf_isRefused() {
    assertRefused(StatusCode.UNIMPLEMENTED, () -> new WorkerConfig.DataTransfer("rdma", 0, ""));
    assertRefused(
        StatusCode.UNIMPLEMENTED,
        () -> CONFIG.withDataTransfer(new WorkerConfig.DataTransfer("stream", 7, "")));
  }

  @Test
  void cacheSize_mustBePositive() {
    assertThat(CONFIG.withCrossTrainerCacheSizeBytes(1).crossTrainerCacheSizeBytes()).isOne();
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> CONFIG.withCrossTrainerCacheSizeBytes(0));
  }

  @Test
  void chunkSize_mustBePositive() {
    assertThat(CONFIG.withSnapshotMaxChunkSizeBytes(1).snapshotMaxChunkSizeBytes()).isOne();
    assertRefused(StatusCode.INVALID_ARGUMENT, () -> CONFIG.withSnapshotMaxChunkSizeBytes(0));
  }

  private static void assertRefused(StatusCode code, Runnable making) {
    assertThatThrownBy(making::run)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}

package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A superseded dispatcher that still answers, although another one owns the journal. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class SupersededDispatcherTest {
  @TempDir private Path folder;

  private DispatchServer start(String workDir, int port) {
    return DispatchServer.start(
        DispatcherConfig.builder()
            .port(port)
            .workDir(folder.resolve(workDir).toString())
            .faultTolerantMode(true)
            .build());
  }

  /** Simulates a disk that two hosts share: each has all acknowledged records. */
  private void copy(String from, String to) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(from))) {
      for (Path file : files.toList()) {
        Path copied = folder.resolve(to).resolve(folder.resolve(from).relativize(file));
        Files.copy(file, copied);
      }
    }
  }

  @Test
  void worker_thatTheLaterOneHasAnswered_isLostToTheOlder() throws IOException {
    DispatchServer first = start("older", 0);
    int port = first.port();
    try (WorkerServer worker = WorkerServer.start(WorkerConfig.forDispatcher(first.address()))) {
      first.close();
      copy("older", "later");
      start("later", 0).close();
      try (DispatchServer older = start("older", 0);
          DispatchServer later = start("later", port)) {
        awaitLost(older, worker.address());

        assertThat(later.statistics().lostWorkers()).isEmpty();
        assertThat(later.statistics().workers()).containsExactly(worker.address());
      }
    }
  }

  @Test
  void reader_thatHeardOfTheLaterOne_ignoresTheOlder() throws IOException {
    start("older", 0).close();
    copy("older", "later");
    start("later", 0).close();
    Cancellation none = new Cancellation();
    try (DispatchServer later = start("later", 0);
        DispatchServer older = start("older", 0);
        DispatcherClient ofOlder = open(older, none)) {
      assertThat(version(ofOlder)).isEqualTo(9);
      try (DispatcherClient ofLater = open(later, none)) {
        assertThat(version(ofLater)).isEqualTo(9);
      }

      assertThatThrownBy(() -> version(ofOlder))
          .isInstanceOfSatisfying(
              StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
          .hasMessageContaining("was superseded");
    }
  }

  private static DispatcherClient open(DispatchServer dispatcher, Cancellation cancellation) {
    return DispatcherClient.open(
        dispatcher.target(), SystemTicker.INSTANCE, new Random(1), cancellation, Optional.empty());
  }

  private static long version(DispatcherClient client) {
    return client
        .callOnce(
            DispatcherServiceGrpc.getGetVersionMethod(),
            GetVersionRequest.getDefaultInstance(),
            new Cancellation())
        .getVersion();
  }

  private static void awaitLost(DispatchServer dispatcher, String worker) {
    while (!dispatcher.statistics().lostWorkers().equals(List.of(worker))) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }
}

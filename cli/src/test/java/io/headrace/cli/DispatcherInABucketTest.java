package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.emulator.FakeGcsServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Dispatcher processes with a work_dir in a bucket: killed, restarted, and superseded. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class DispatcherInABucketTest {
  private static final int CALLERS = 8;
  private static final int REGISTERED_BEFORE_THE_END = 40;

  private static FakeGcsServer emulator;

  private String workDir = "";

  @BeforeAll
  static void startEmulator() throws IOException, InterruptedException {
    emulator = FakeGcsServer.start();
  }

  @AfterAll
  static void stopEmulator() {
    emulator.close();
  }

  @BeforeEach
  void makeBucket() throws IOException, InterruptedException {
    workDir = "gs://" + emulator.newBucket() + "/dispatcher";
  }

  @Test
  void killed_knowsDatasetsAndJobsAgain() throws IOException, InterruptedException {
    long job;
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      assertThat(caller.register("one")).isEqualTo("1000");
      job = caller.job("1000");
      first.kill();
    }
    try (HeadraceProcess second = start();
        FakeStockClient caller = new FakeStockClient(second.awaitReady())) {
      assertThat(caller.nodeOf("1000")).isEqualTo("one");
      assertThat(caller.job("1000")).isEqualTo(job);
      assertThat(caller.register("two")).isEqualTo("1001");
      assertThat(second.terminate().awaitEnd().status()).isZero();
    }
  }

  @Test
  void killed_amidRegistrations_hasAllThatWereAnswered() throws IOException, InterruptedException {
    Map<String, String> nodes = new ConcurrentHashMap<>();
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      List<Thread> callers = flood(caller, nodes);
      first.kill();
      for (Thread thread : callers) {
        thread.join();
      }
    }
    try (HeadraceProcess second = start();
        FakeStockClient caller = new FakeStockClient(second.awaitReady())) {
      assertThat(nodes).hasSizeGreaterThanOrEqualTo(REGISTERED_BEFORE_THE_END);
      nodes.forEach((id, node) -> assertThat(caller.nodeOf(id)).as(id).isEqualTo(node));
    }
  }

  @Test
  void secondStart_amidRegistrations_hasAllThatWereAnswered_andTheFirstExitsInOneLine()
      throws IOException, InterruptedException {
    Map<String, String> nodes = new ConcurrentHashMap<>();
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      List<Thread> callers = flood(caller, nodes);
      try (HeadraceProcess second = start();
          FakeStockClient other = new FakeStockClient(second.awaitReady())) {
        // Log lines about requests that it could not write come before.
        assertThatItWasSuperseded(first, second);
        for (Thread thread : callers) {
          thread.join();
        }
        assertThat(nodes).hasSizeGreaterThanOrEqualTo(REGISTERED_BEFORE_THE_END);
        nodes.forEach((id, node) -> assertThat(other.nodeOf(id)).as(id).isEqualTo(node));
      }
    }
  }

  @Test
  void secondStart_theFirstExitsInOneLine_althoughNobodyAsksItAnything()
      throws IOException, InterruptedException {
    try (HeadraceProcess first = start()) {
      first.awaitReady();
      try (HeadraceProcess second = start();
          FakeStockClient caller = new FakeStockClient(second.awaitReady())) {
        assertThatItWasSuperseded(first, second);
        assertThat(caller.register("one")).isEqualTo("1000");
      }
    }
  }

  @Test
  void bucketThatDoesNotExist_isRefusedInOneLine() throws IOException, InterruptedException {
    workDir = "gs://no-such-bucket/dispatcher";
    try (HeadraceProcess process = start()) {
      CommandRun run = process.awaitEnd();

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .hasLineCount(1)
          .startsWith("headrace dispatcher: ")
          .contains(workDir, "bucket no-such-bucket does not exist");
    }
  }

  private static void assertThatItWasSuperseded(HeadraceProcess first, HeadraceProcess second)
      throws InterruptedException {
    CommandRun run = first.awaitEnd();

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err().lines().toList().getLast())
        .startsWith("headrace dispatcher: ")
        .contains("was taken over by another dispatcher", "process " + second.pid());
  }

  private static List<Thread> flood(FakeStockClient caller, Map<String, String> nodes)
      throws InterruptedException {
    CountDownLatch enough = new CountDownLatch(REGISTERED_BEFORE_THE_END);
    List<Thread> callers =
        IntStream.range(0, CALLERS)
            .mapToObj(i -> Thread.startVirtualThread(() -> caller.flood(i, nodes, enough)))
            .toList();
    enough.await();
    return callers;
  }

  private HeadraceProcess start() throws IOException {
    return HeadraceProcess.start(
        "dispatcher",
        "--fault-tolerant-mode",
        "--work-dir=" + workDir,
        "--gcs-endpoint=" + emulator.endpoint());
  }
}

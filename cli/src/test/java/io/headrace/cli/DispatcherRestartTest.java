package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Dispatcher processes with a work_dir, killed and restarted. */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class DispatcherRestartTest {
  private static final int CALLERS = 8;
  private static final int REGISTERED_BEFORE_THE_KILL = 40;

  @TempDir Path directory = Path.of("");

  @Test
  void killed_knowsDatasetsAndJobsAgain() throws IOException, InterruptedException {
    long job;
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      assertThat(caller.register("one")).isEqualTo("1000");
      assertThat(caller.register("two")).isEqualTo("1001");
      job = caller.job("1001");
      first.kill();
    }
    try (HeadraceProcess second = start();
        FakeStockClient caller = new FakeStockClient(second.awaitReady())) {
      assertThat(caller.nodeOf("1000")).isEqualTo("one");
      assertThat(caller.nodeOf("1001")).isEqualTo("two");
      assertThat(caller.job("1001")).isEqualTo(job);
      assertThat(caller.register("three")).isEqualTo("1002");
      assertThat(second.terminate().awaitEnd().status()).isZero();
    }
  }

  @Test
  void killed_amidRegistrations_hasAllThatWereAnswered() throws IOException, InterruptedException {
    Map<String, String> nodes = new ConcurrentHashMap<>();
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      CountDownLatch enough = new CountDownLatch(REGISTERED_BEFORE_THE_KILL);
      List<Thread> callers =
          IntStream.range(0, CALLERS)
              .mapToObj(i -> Thread.startVirtualThread(() -> caller.flood(i, nodes, enough)))
              .toList();
      enough.await();
      first.kill();
      for (Thread thread : callers) {
        thread.join();
      }
    }
    try (HeadraceProcess second = start();
        FakeStockClient caller = new FakeStockClient(second.awaitReady())) {
      assertThat(nodes).hasSizeGreaterThanOrEqualTo(REGISTERED_BEFORE_THE_KILL);
      nodes.forEach((id, node) -> assertThat(caller.nodeOf(id)).as(id).isEqualTo(node));
    }
  }

  @Test
  void workDirInUse_isRefusedInOneLineNamingTheHolder_whichGoesOn()
      throws IOException, InterruptedException {
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady());
        HeadraceProcess second = start()) {
      CommandRun run = second.awaitEnd();

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .hasLineCount(1)
          .contains("headrace dispatcher: ", directory.toString(), "process " + first.pid());
      assertThat(caller.register("still")).isEqualTo("1000");
    }
  }

  @Test
  void damagedJournal_isRefusedInOneLineNamingRecordAndFile()
      throws IOException, InterruptedException {
    try (HeadraceProcess first = start();
        FakeStockClient caller = new FakeStockClient(first.awaitReady())) {
      caller.register("one");
      first.kill();
    }
    Path log = cutTheLog();
    try (HeadraceProcess second = start()) {
      CommandRun run = second.awaitEnd();

      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).hasLineCount(1).contains("record 1 is missing", log.toString());
    }
  }

  private HeadraceProcess start() throws IOException {
    return HeadraceProcess.start("dispatcher", "--fault-tolerant-mode", "--work-dir=" + directory);
  }

  /** Truncates the write-ahead log by one byte. */
  private Path cutTheLog() throws IOException {
    Path log;
    try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
      log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, bytes.length - 1), StandardOpenOption.TRUNCATE_EXISTING);
    return log;
  }
}

package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Many consecutive iterations leave nothing behind in dispatcher, worker and work_dir. {@code
 * -Dsoak.iterations=100000} sets their number and prints the retained sizes.
 */
@Timeout(7200)
@Isolated // measures memory
final class SoakTest {
  private static final System.Logger LOGGER = System.getLogger(SoakTest.class.getName());
  private static final int ITERATIONS = Integer.getInteger("soak.iterations", 2_000);
  private static final int READERS = 8;
  private static final int ELEMENTS = 10;

  /** Objects that may be in flight at a time; a leak is larger, by the iterations in between. */
  private static final int SLACK = 100;

  /** Bounded growth: ids of ended tasks, by which late readers get the end of the sequence. */
  private static final Map<String, Integer> BOUNDED = Map.of("TaskTable.finished", 100_000);

  /** RocksDB has some logs and tables of 4 MiB until it compacts them. */
  private static final long MOST_BYTES = 32 << 20;

  @TempDir private Path workDir;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable server : opened.reversed()) {
      server.close();
    }
  }

  @Test
  void iterations_leaveNothingBehind() {
    DispatchServer dispatcher =
        open(
            DispatchServer.start(
                DispatcherConfig.builder()
                    .workDir(workDir.toString())
                    .faultTolerantMode(true)
                    .build()));
    WorkerServer worker =
        open(
            WorkerServer.start(
                WorkerConfig.forDispatcher(dispatcher.address())
                    .withHeartbeatInterval(Duration.ofMillis(100))));
    String dataset = DataService.registerDataset(dispatcher.target(), Dataset.range(ELEMENTS));
    Object[] roots = {dispatcher, worker, ConnectionPool.SHARED};

    List<Dataset> readers =
        Stream.iterate(0, i -> i < READERS, i -> i + 1)
            .map(i -> reader(i, dispatcher.target(), dataset))
            .toList();

    read(readers, ITERATIONS / 4);
    Map<String, Integer> before = RetainedObjects.of(roots);
    long heapBefore = usedHeap();
    read(readers, ITERATIONS - ITERATIONS / 4);

    awaitNoGrowth(before, roots);
    assertThat(bytes(workDir)).isLessThan(MOST_BYTES);
    LOGGER.log(
        Level.INFO,
        "after {0} iterations: {1} bytes in work_dir, {2} of heap, after a quarter of them {3}",
        ITERATIONS,
        bytes(workDir),
        usedHeap(),
        heapBefore);
  }

  /** A dataset of an anonymous job, or of the repetitions of a named one, exactly once or not. */
  private static Dataset reader(int number, String target, String dataset) {
    DistributeOptions options =
        DistributeOptions.of(
            number % 2 == 0 ? ProcessingMode.DYNAMIC : ProcessingMode.PARALLEL_EPOCHS);
    boolean named = number % 4 >= 2;
    return DataService.fromDatasetId(
        named ? options.withJobName("job-" + number) : options, target, dataset);
  }

  private static void read(List<Dataset> readers, int iterations) {
    AtomicLong left = new AtomicLong(iterations);
    CompletableFuture<?>[] reads =
        readers.stream()
            .map(elements ->
                CompletableFuture.runAsync(
                    () -> readSome(elements, left), task -> Thread.ofPlatform().start(task)))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(reads).join();
  }

  private static void readSome(Dataset elements, AtomicLong left) {
    while (left.getAndDecrement() > 0) {
      try (ElementIterator iterator = elements.iterator()) {
        int read = 0;
        while (iterator.hasNext()) {
          iterator.next();
          read++;
        }
        assertThat(read).isEqualTo(ELEMENTS);
      }
    }
  }

  private static void awaitNoGrowth(Map<String, Integer> before, Object... roots) {
    long patience = SystemTicker.INSTANCE.nanoTime() + Duration.ofSeconds(60).toNanos();
    Map<String, Integer> grown = grown(before, RetainedObjects.of(roots));
    while (!grown.isEmpty() && SystemTicker.INSTANCE.nanoTime() < patience) {
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      grown = grown(before, RetainedObjects.of(roots));
    }
    assertThat(grown).isEmpty();
  }

  private static Map<String, Integer> grown(
      Map<String, Integer> before, Map<String, Integer> after) {
    Map<String, Integer> grown = new TreeMap<>(after);
    grown
        .entrySet()
        .removeIf(entry ->
            entry.getValue() <= SLACK + before.getOrDefault(entry.getKey(), 0)
                || entry.getValue() <= BOUNDED.getOrDefault(entry.getKey(), 0));
    return grown;
  }

  private static long bytes(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.mapToLong(SoakTest::size).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private <T extends AutoCloseable> T open(T server) {
    opened.add(server);
    return server;
  }
}

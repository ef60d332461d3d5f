package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Our reader receives each of 40 x 250 records exactly once while workers and dispatchers are
 * killed.
 */
final class ExactlyOnceTest {
  private static final int FILES = 40;
  private static final int RECORDS = 250;

  /** Padding, so that the records exceed the buffers of workers and readers. */
  private static final String FILLING = "x".repeat(2000);

  private final Servers dispatchers = new Servers();
  private final Servers workers = new Servers();
  private final List<String> expected = new ArrayList<>();
  private @TempDir Path folder;
  private String dispatcher = "";

  @BeforeEach
  void writeFiles() throws IOException {
    for (int f = 0; f < FILES; f++) {
      List<String> lines = new ArrayList<>();
      for (int r = 0; r < RECORDS; r++) {
        lines.add("file %02d record %03d %s".formatted(f, r, FILLING));
      }
      Files.write(folder.resolve("part-%02d.txt".formatted(f)), lines);
      expected.addAll(lines);
    }
  }

  @AfterEach
  void stopServers() {
    workers.close();
    dispatchers.close();
  }

  private void startDispatcher(String port) throws InterruptedException {
    dispatcher =
        dispatchers.startHeadraceDispatcher(
            "--port=" + port, "--work-dir=" + folder.resolve("work"), "--fault-tolerant-mode");
  }

  private void killAndStartDispatcher() throws InterruptedException {
    dispatchers.killLast();
    startDispatcher(dispatcher.substring(dispatcher.lastIndexOf(':') + 1));
  }

  /** Batches of records; a worker produces a few thousand records a second. */
  private Dataset records(DistributeOptions options) {
    return Dataset.listFiles(folder.resolve("part-*.txt").toString(), Shuffle.seed(7))
        .interleave(Dataset::textLines, Interleave.cycle(4))
        .shuffle(500, 3)
        .batch(8)
        .apply(DataService.distribute(options, "grpc://" + dispatcher));
  }

  private static DistributeOptions exactlyOnce(ReadStatistics statistics) {
    return DistributeOptions.of(ProcessingMode.DYNAMIC)
        .withGuarantee(Guarantee.EXACTLY_ONCE)
        .withStatistics(statistics);
  }

  private static void add(Element element, List<String> to) {
    Tensor batch = element.tensor();
    for (int i = 0; i < batch.elements(); i++) {
      to.add(new String(batch.string(i), StandardCharsets.UTF_8));
    }
  }

  private static void read(ElementIterator elements, int records, List<String> to)
      throws InterruptedException {
    while (to.size() < records && elements.hasNext()) {
      add(elements.next(), to);
      Thread.sleep(1);
    }
  }

  private void checkEachOnce(List<String> records) {
    assertThat(records.stream().sorted().toList().equals(expected))
        .as("%d records, %d of them distinct", records.size(), records.stream().distinct().count())
        .isTrue();
  }

  @Test
  void killedWorkers_loseAndRepeatNothing() throws InterruptedException {
    startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    ReadStatistics statistics = new ReadStatistics();
    List<String> records = new ArrayList<>();
    try (ElementIterator elements = records(exactlyOnce(statistics)).iterator()) {
      read(elements, 1500, records);
      workers.killLast();
      read(elements, 4000, records);
      workers.startHeadraceWorker(dispatcher);
      read(elements, 7000, records);
      workers.killLast();
      read(elements, Integer.MAX_VALUE, records);
    }
    assertThat(statistics.guarantee()).contains(Guarantee.EXACTLY_ONCE);
    checkEachOnce(records);
    assertThat(statistics.lostTasks()).isNotEmpty();
  }

  @Test
  void killedWorker_ofARange_losesAndRepeatsNothing() throws InterruptedException {
    int n = 3_000_000;
    startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    Dataset range =
        Dataset.range(n)
            .apply(
                DataService.distribute(exactlyOnce(new ReadStatistics()), "grpc://" + dispatcher));
    BitSet seen = new BitSet(n);
    int count = 0;
    try (ElementIterator elements = range.iterator()) {
      while (elements.hasNext()) {
        seen.set((int) elements.next().tensor().integer(0));
        if (++count == 300_000) {
          workers.killLast();
        }
      }
    }
    assertThat(count).isEqualTo(n);
    assertThat(seen.cardinality()).isEqualTo(n);
  }

  @Test
  void allWorkersKilled_andTheDispatcher_loseAndRepeatNothing() throws InterruptedException {
    startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    List<String> records = new ArrayList<>();
    try (ElementIterator elements = records(exactlyOnce(new ReadStatistics())).iterator()) {
      read(elements, 2000, records);
      workers.killLast();
      killAndStartDispatcher();
      read(elements, 3000, records);
      workers.killLast();
      workers.startHeadraceWorker(dispatcher);
      killAndStartDispatcher();
      read(elements, Integer.MAX_VALUE, records);
    }
    checkEachOnce(records);
  }

  @Test
  void checkpoint_ofARange_isGoneOnFrom_byAnotherNumberOfWorkers() throws InterruptedException {
    int n = 2_000_000;
    startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    BitSet seen = new BitSet(n);
    int count = 0;
    DistributeOptions options = exactlyOnce(new ReadStatistics());
    for (int stop = 700_001; count < n; stop = n + 1) {
      Dataset range =
          Dataset.range(n)
              .map(x -> x.mul(1))
              .apply(DataService.distribute(options, "grpc://" + dispatcher));
      try (ElementIterator elements = range.iterator()) {
        while (count < stop && elements.hasNext()) {
          seen.set((int) elements.next().tensor().integer(0));
          count++;
        }
        Checkpoint checkpoint = elements.checkpoint();
        assertThat(checkpoint.toJson()).contains("taken");
        options =
            exactlyOnce(new ReadStatistics()).resumedFrom(Checkpoint.ofJson(checkpoint.toJson()));
      }
      workers.startHeadraceWorker(dispatcher);
    }
    assertThat(count).isEqualTo(n);
    assertThat(seen.cardinality()).isEqualTo(n);
  }

  @Test
  void checkpoint_isGoneOnFrom_withOtherWorkers() throws InterruptedException {
    startDispatcher("0");
    workers.startHeadraceWorker(dispatcher);
    workers.startHeadraceWorker(dispatcher);
    List<String> records = new ArrayList<>();
    byte[] checkpoint;
    try (ElementIterator elements =
        records(exactlyOnce(new ReadStatistics())).prefetch(4).iterator()) {
      read(elements, 3000, records);
      checkpoint = elements.checkpoint().toBytes();
      read(elements, 3500, new ArrayList<>());
    }
    workers.killLast();
    for (int round = 0; round < 2; round++) {
      DistributeOptions options =
          exactlyOnce(new ReadStatistics()).resumedFrom(Checkpoint.ofBytes(checkpoint));
      try (ElementIterator elements = records(options).iterator()) {
        read(elements, round == 0 ? 6000 : Integer.MAX_VALUE, records);
        checkpoint = elements.checkpoint().toBytes();
      }
    }
    assertThat(checkpoint.length).isLessThan(20_000);
    checkEachOnce(records);
  }
}

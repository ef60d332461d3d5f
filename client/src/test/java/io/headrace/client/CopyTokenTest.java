package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Shuffle;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of parallel epochs, in which each worker produces a copy. */
@Timeout(120)
final class CopyTokenTest {
  private static final int N = 600;
  private static final long SEED = 7;

  @TempDir private Path folder;
  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final List<WorkerServer> workers = new ArrayList<>();

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  private void startWorkers(int count) {
    for (int i = 0; i < count; i++) {
      workers.add(WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address())));
    }
  }

  private static DistributeOptions whole() {
    return DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS);
  }

  private Dataset distributed(Dataset dataset, DistributeOptions options) {
    return dataset.apply(DataService.distribute(options, dispatcher.target()));
  }

  /** Built again each time, so that function names differ. */
  private static Dataset numbers() {
    return Dataset.range(N).map(x -> x.add(1)).shuffle(50, SEED).map(x -> x.sub(1));
  }

  private static List<Long> take(ElementIterator elements, long count) {
    List<Long> taken = new ArrayList<>();
    while (taken.size() < count && elements.hasNext()) {
      var element = elements.next().tensor();
      for (int i = 0; i < element.elements(); i++) {
        taken.add(element.integer(i));
      }
    }
    return taken;
  }

  /**
   * Reads the rest: records the first number of a batch or the code of an error, each with the
   * token at that point.
   */
  private static void readAll(
      ElementIterator elements, List<Object> rows, List<Checkpoint> tokens) {
    while (true) {
      try {
        if (!elements.hasNext()) {
          return;
        }
        rows.add(elements.next().tensor().integer(0));
      } catch (StatusException e) {
        rows.add(e.code());
      }
      tokens.add(elements.checkpoint());
    }
  }

  /** The numbers of {@code count} copies, sorted. */
  private static List<Long> copies(int count) {
    return LongStream.range(0, N)
        .boxed()
        .flatMap(x -> IntStream.range(0, count).mapToObj(_ -> x))
        .toList();
  }

  private static void assertRefused(StatusCode code, String why, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  @Test
  void resumed_twice_givesWhatIsLeftOfEachCopy() {
    startWorkers(2);
    List<Long> taken;
    Checkpoint first;
    try (ElementIterator elements = distributed(numbers(), whole()).batch(8).iterator()) {
      taken = take(elements, 300);
      first = elements.checkpoint();
    }
    Checkpoint second;
    try (ElementIterator elements =
        distributed(numbers(), whole().resumedFrom(first)).batch(8).iterator()) {
      taken.addAll(take(elements, 400));
      second = Checkpoint.ofJson(elements.checkpoint().toJson());
    }
    try (ElementIterator elements =
        distributed(numbers(), whole().resumedFrom(second)).batch(8).iterator()) {
      taken.addAll(take(elements, Long.MAX_VALUE));
    }

    assertThat(taken.stream().sorted().toList()).isEqualTo(copies(2));
  }

  /** No worker could produce or send the elements taken here. */
  @Test
  void whatWasTaken_isNotMadeAgain() {
    startWorkers(2);
    long taken = 1L << 52;
    Dataset dataset = Dataset.range(Long.MAX_VALUE).map(x -> x.add(1)).batch(100).prefetch(2);
    CheckpointProto.Builder token = checkpointOf(dataset, 300).toProto().toBuilder();
    RecordSet rows = new RecordSet();
    rows.add(0, Origins.SPLITS, 0, taken);
    rows.add(1, Origins.SPLITS, 0, taken);
    token.getRepetitionsBuilder(0).setTaken(rows.toProto());

    try (ElementIterator elements =
        distributed(dataset, whole().resumedFrom(Checkpoint.of(token))).iterator()) {
      assertThat(elements.next().tensor().integer(0)).isEqualTo(100 * taken + 1);
    }
  }

  @Test
  void rowsThatWereErrors_areKeptInTheToken_andBatchesStayAligned() {
    startWorkers(1);
    Dataset dataset = Dataset.range(40).map(x -> x.add(x.floorMod(x.floorMod(11).sub(5)))).batch(4);
    List<Object> whole = new ArrayList<>();
    List<Checkpoint> tokens = new ArrayList<>();
    try (ElementIterator elements = distributed(dataset, whole()).iterator()) {
      readAll(elements, whole, tokens);
    }
    assertThat(whole.stream().filter(StatusCode.class::isInstance)).hasSizeGreaterThan(1);

    for (int i = 0; i < tokens.size(); i++) {
      List<Object> rest = new ArrayList<>();
      try (ElementIterator elements =
          distributed(dataset, whole().resumedFrom(tokens.get(i))).iterator()) {
        readAll(elements, rest, new ArrayList<>());
      }
      assertThat(rest).isEqualTo(whole.subList(i + 1, whole.size()));
    }
  }

  @Test
  void anotherNumberOfWorkers_isRefusedNamingBoth() {
    startWorkers(1);
    Checkpoint checkpoint = checkpointOf(numbers(), 10);
    startWorkers(2);

    try (ElementIterator elements =
        distributed(numbers(), whole().resumedFrom(checkpoint)).iterator()) {
      assertRefused(
          StatusCode.INVALID_ARGUMENT,
          "the checkpoint is of the copies of 1 workers, and 3 workers are there",
          elements::hasNext);
    }
  }

  @Test
  void copyOfAWorkerThatWasLost_isNotInTheToken() {
    startWorkers(2);
    Dataset endless = Dataset.range(10).repeat(-1);
    Checkpoint checkpoint;
    try (ElementIterator elements = distributed(endless, whole()).iterator()) {
      assertThat(take(elements, 100)).hasSize(100);
      workers.removeFirst().close();
      do {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        assertThat(take(elements, 10)).hasSize(10);
        checkpoint = elements.checkpoint();
      } while (checkpoint.toProto().getCopyTaskIdsCount() == 2);
    }

    try (ElementIterator elements =
        distributed(endless, whole().resumedFrom(checkpoint)).iterator()) {
      assertThat(take(elements, 10)).hasSize(10);
    }
  }

  @Test
  void anotherDataset_isRefused() {
    startWorkers(1);
    Checkpoint checkpoint = checkpointOf(numbers(), 10);
    Dataset other = Dataset.range(N).map(x -> x.add(2)).shuffle(50, SEED).map(x -> x.sub(1));

    try (ElementIterator elements =
        distributed(other, whole().resumedFrom(checkpoint)).iterator()) {
      assertRefused(StatusCode.INVALID_ARGUMENT, "belongs to another dataset", elements::hasNext);
    }
  }

  @Test
  void withoutASeed_thereIsNoToken_andTheTransformationIsNamed() {
    startWorkers(1);
    Dataset unseeded = Dataset.range(N).shuffle(50, Shuffle.RANDOM);
    try (ElementIterator elements = distributed(unseeded, whole()).iterator()) {
      assertThat(take(elements, 10)).hasSize(10);
      assertRefused(
          StatusCode.FAILED_PRECONDITION, "draws at random without a seed", elements::checkpoint);
    }
  }

  @Test
  void bySingleRequests_thereIsNoToken() {
    startWorkers(1);
    try (ElementIterator elements =
        distributed(numbers(), whole().withTransfer(Transfer.GRPC)).iterator()) {
      assertThat(take(elements, 10)).hasSize(10);
      assertRefused(StatusCode.FAILED_PRECONDITION, "sends no positions", elements::checkpoint);
    }
  }

  @Test
  void tokenOfParallelEpochs_forSharedSplits_isRefused() {
    startWorkers(1);
    Checkpoint checkpoint = checkpointOf(numbers(), 10);
    DistributeOptions dynamic =
        DistributeOptions.of(ProcessingMode.DYNAMIC).resumedFrom(checkpoint);

    try (ElementIterator elements = distributed(numbers(), dynamic).iterator()) {
      assertRefused(
          StatusCode.FAILED_PRECONDITION,
          "the checkpoint is of parallel epochs",
          elements::hasNext);
    }
  }

  @Test
  void filesThatChanged_areRefused_whateverTheMode() throws IOException {
    startWorkers(1);
    for (ProcessingMode mode : List.of(ProcessingMode.PARALLEL_EPOCHS, ProcessingMode.DYNAMIC)) {
      List<Path> files = writeFiles();
      DistributeOptions options = DistributeOptions.of(mode);
      Checkpoint checkpoint;
      try (ElementIterator elements = distributed(lines(), options).iterator()) {
        assertThat(elements.next().tensor().elements()).isEqualTo(1);
        checkpoint = elements.checkpoint();
      }
      Files.writeString(files.get(1), "one more\n", StandardOpenOption.APPEND);
      assertChanged(distributed(lines(), options.resumedFrom(checkpoint)));

      writeFiles();
      try (ElementIterator elements =
          distributed(lines(), options.resumedFrom(checkpoint)).iterator()) {
        assertThat(elements.next().tensor().elements()).isEqualTo(1);
      }
      Files.writeString(folder.resolve("file-9.txt"), "another file\n");
      assertChanged(distributed(lines(), options.resumedFrom(checkpoint)));
      Files.delete(folder.resolve("file-9.txt"));
    }
  }

  private List<Path> writeFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Path file = Files.writeString(folder.resolve("file-" + i + ".txt"), "a\nb\nc\n");
      files.add(Files.setLastModifiedTime(file, FileTime.fromMillis(1_700_000_000_000L)));
    }
    return files;
  }

  private Dataset lines() {
    return Dataset.listFiles(folder + "/*.txt", Shuffle.seed(SEED)).flatMap(Dataset::textLines);
  }

  private Checkpoint checkpointOf(Dataset dataset, long count) {
    try (ElementIterator elements = distributed(dataset, whole()).iterator()) {
      assertThat(take(elements, count)).hasSize((int) count);
      return elements.checkpoint();
    }
  }

  private static void assertChanged(Dataset resumed) {
    try (ElementIterator elements = resumed.iterator()) {
      assertRefused(StatusCode.FAILED_PRECONDITION, "the sources have changed", elements::hasNext);
    }
  }
}

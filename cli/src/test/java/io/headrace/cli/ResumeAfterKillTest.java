package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.rpc.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads resumed from the checkpoints of killed readers, in other processes, after dispatcher and
 * workers have been killed as well. The lines taken by the killed readers before their last
 * checkpoints, and those taken by the resumed readers, must be every line exactly once.
 *
 * <p>Lines are long, so that most of them are not in flight when a reader is killed.
 */
@Timeout(value = 5, unit = MINUTES)
@Execution(ExecutionMode.CONCURRENT) // mostly waits for processes
final class ResumeAfterKillTest {
  private static final int FILES = 16;
  private static final int LINES = 100;
  private static final String PADDING = " " + "x".repeat(16_384);

  /** A third of all batches: a reader limited to them can be killed before the end. */
  private static final String SOME_BATCHES = "65";

  @TempDir private Path folder;

  private final int port = FreePort.find(new SplittableRandom());
  private final List<HeadraceProcess> started = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private Path data = Path.of("");
  private HeadraceProcess dispatcher;

  @BeforeEach
  void start() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    for (int file = 0; file < FILES; file++) {
      List<String> names = new ArrayList<>();
      for (int line = 0; line < LINES; line++) {
        names.add("f" + file + "-" + line);
      }
      lines.addAll(names);
      Files.write(
          data.resolve("part-" + file), names.stream().map(name -> name + PADDING).toList());
    }
    startDispatcher();
  }

  @AfterEach
  void killAll() throws InterruptedException {
    for (HeadraceProcess process : started) {
      process.kill();
    }
  }

  @Test
  void ownJob_goesOn_afterDispatcherAndReaders_withOtherWorkers()
      throws IOException, InterruptedException {
    List<HeadraceProcess> workers = List.of(startWorker(), startWorker(), startWorker());
    awaitReady(workers);
    HeadraceProcess first = startReader("", "first");
    first.tell(SOME_BATCHES);
    awaitKept(first, 3);
    restartDispatcher();
    awaitKept(first, 3);
    first.kill();
    workers.getFirst().kill();

    HeadraceProcess second = startReader("", "second", "first");
    second.tell(SOME_BATCHES);
    awaitKept(second, 3);
    awaitReady(List.of(startWorker()));
    awaitKept(second, 3);
    second.kill();

    readToTheEnd(List.of(startReader("", "third", "second")));

    assertEachLineOnce("first", "second", "third");
  }

  @Test
  void namedJob_goesOn_afterReaderDispatcherAndAWorker() throws IOException, InterruptedException {
    List<HeadraceProcess> workers = List.of(startWorker(), startWorker());
    awaitReady(workers);
    HeadraceProcess first = startReader("epochs", "first");
    first.tell(SOME_BATCHES);
    awaitKept(first, 4);
    first.kill();
    restartDispatcher();
    workers.getFirst().kill();

    readToTheEnd(List.of(startReader("epochs", "second", "first")));

    assertEachLineOnce("first", "second");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void sharedJob_goesOn_fromTheMergedTokensOfTwo_withAnotherNumberOfReaders(int readers)
      throws IOException, InterruptedException {
    awaitReady(List.of(startWorker(), startWorker()));
    List<HeadraceProcess> two =
        List.of(startReader("epochs", "first"), startReader("epochs", "second"));
    for (HeadraceProcess reader : two) {
      reader.tell(SOME_BATCHES);
    }
    for (HeadraceProcess reader : two) {
      awaitKept(reader, 3);
    }
    two.getFirst().kill();
    restartDispatcher();
    two.getLast().kill();
    awaitReady(List.of(startWorker()));

    List<HeadraceProcess> group = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of("first", "second"));
    for (int reader = 0; reader < readers; reader++) {
      names.add("next-" + reader);
      group.add(start("epochs", "next-" + reader, reader, readers, "first", "second"));
    }
    readToTheEnd(group);

    assertEachLineOnce(names.toArray(String[]::new));
  }

  private void startDispatcher() throws IOException {
    dispatcher =
        add(
            HeadraceProcess.start(
                "dispatcher",
                "--port=" + port,
                "--work-dir=" + folder.resolve("work"),
                "--fault-tolerant-mode",
                "--worker-timeout-ms=5000"));
    assertThat(dispatcher.awaitReady()).isEqualTo(port);
  }

  private void restartDispatcher() throws IOException, InterruptedException {
    dispatcher.kill();
    startDispatcher();
  }

  private HeadraceProcess startWorker() throws IOException {
    return add(HeadraceProcess.start("worker", "--dispatcher-address=localhost:" + port));
  }

  private static void awaitReady(List<HeadraceProcess> workers) throws IOException {
    for (HeadraceProcess worker : workers) {
      assertThat(worker.awaitReady()).isPositive();
    }
  }

  private HeadraceProcess startReader(String job, String name, String... before)
      throws IOException {
    return start(job, name, 0, 1, before);
  }

  private HeadraceProcess start(String job, String name, int reader, int readers, String... before)
      throws IOException {
    ResumableReader.Arguments arguments =
        new ResumableReader.Arguments(
            "grpc://localhost:" + port,
            data,
            job,
            keptBy(name),
            reader,
            readers,
            Stream.of(before).map(this::keptBy).toList());
    return add(HeadraceProcess.start(ResumableReader.class, arguments.toStrings()));
  }

  private HeadraceProcess add(HeadraceProcess process) {
    started.add(process);
    return process;
  }

  private Path keptBy(String name) {
    return folder.resolve(name + ".kept");
  }

  private static void awaitKept(HeadraceProcess reader, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      assertThat(reader.awaitOutput("kept")).isEmpty();
    }
  }

  private static void readToTheEnd(List<HeadraceProcess> readers)
      throws IOException, InterruptedException {
    for (HeadraceProcess reader : readers) {
      reader.tell("all");
    }
    for (HeadraceProcess reader : readers) {
      assertThat(reader.awaitOutput("end")).isEmpty();
      CommandRun run = reader.awaitEnd();
      assertThat(run.status()).as(run.err()).isZero();
    }
  }

  private void assertEachLineOnce(String... names) throws IOException {
    List<String> taken = new ArrayList<>();
    for (String name : names) {
      taken.addAll(SavedRead.of(keptBy(name)).taken());
    }
    assertThat(taken).containsExactlyInAnyOrderElementsOf(lines);
  }
}

package io.headrace.interop;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.interop.Programs.Printed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stock programs of kinds that people run, on dispatchers and workers of both kinds: they get from
 * ours what they get from stock ones.
 *
 * <p>On one day they train, share and save; on the next day, on other servers, they load. All run
 * before the first test, which keeps few servers alive at a time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ProgramsTest {
  private static final String FIT_IN_ORDER = "fit.py DISPATCHER parallel_epochs";
  private static final String FIT = "fit.py DISPATCHER distributed_epoch";
  private static final String EVALUATE = "evaluate.py DISPATCHER";
  private static final String OWN_WORKER = "own_worker.py DISPATCHER";
  private static final Map<String, Integer> EXPERIMENTS = Map.of("a", 200, "b", 300, "c", 1);
  private static final int TRAINERS = 4;

  @TempDir private static Path folder;

  private final Map<Servants, List<Printed>> day = new EnumMap<>(Servants.class);
  private final Map<Servants, List<Printed>> nextDay = new EnumMap<>(Servants.class);

  /** The kinds of a service's servers. */
  enum Servants {
    STOCK(true, true),
    HEADRACE(false, false),
    STOCK_WORKERS(false, true),
    HEADRACE_WORKERS(true, false);

    private final boolean isDispatcherStock;
    private final boolean areWorkersStock;

    Servants(boolean isDispatcherStock, boolean areWorkersStock) {
      this.isDispatcherStock = isDispatcherStock;
      this.areWorkersStock = areWorkersStock;
    }

    String startDispatcher(Servers servers, Path workDir) throws InterruptedException {
      return isDispatcherStock
          ? servers.startStockDispatcher("0", "", workDir.toString())
          : servers.startHeadraceDispatcher("--work-dir=" + workDir);
    }

    void startWorker(Servers servers, String dispatcher) throws InterruptedException {
      if (areWorkersStock) {
        servers.startStockWorker(dispatcher);
      } else {
        servers.startHeadraceWorker(dispatcher, "--heartbeat-interval-ms=1000");
      }
    }
  }

  @BeforeAll
  void runAll() throws InterruptedException {
    for (Servants servants : Servants.values()) {
      day.put(servants, runDay(servants));
    }
    for (Servants servants : new Servants[] {Servants.STOCK, Servants.HEADRACE}) {
      nextDay.put(servants, runNextDay(servants));
    }
  }

  private static List<Printed> runDay(Servants servants) throws InterruptedException {
    try (Servers servers = new Servers()) {
      String dispatcher = servants.startDispatcher(servers, folder.resolve("work-" + servants));
      servants.startWorker(servers, dispatcher);
      List<Printed> printed = new ArrayList<>();
      if (servants.isDispatcherStock == servants.areWorkersStock) {
        printed.addAll(Programs.run(dispatcher, FIT_IN_ORDER));
      }
      servants.startWorker(servers, dispatcher);
      printed.addAll(
          Programs.run(
              dispatcher,
              FIT,
              "bucketed_text.py DISPATCHER 0",
              "bucketed_text.py DISPATCHER 1",
              "bucketed_text.py DISPATCHER 2",
              "bucketed_text.py DISPATCHER 3",
              "save.py DISPATCHER " + saved(servants)));
      printed.addAll(
          Programs.run(
              dispatcher,
              "sweep.py DISPATCHER fast 0",
              "sweep.py DISPATCHER fast 0",
              "sweep.py DISPATCHER slow 0.002",
              EVALUATE,
              experiment("a"),
              experiment("a"),
              experiment("b"),
              experiment("c")));
      return printed;
    }
  }

  private static List<Printed> runNextDay(Servants servants) throws InterruptedException {
    try (Servers servers = new Servers()) {
      Path workDir = folder.resolve("next-work-" + servants);
      String dispatcher = servants.startDispatcher(servers, workDir.resolve("loading"));
      servants.startWorker(servers, dispatcher);
      servants.startWorker(servers, dispatcher);
      List<Printed> printed =
          new ArrayList<>(
              Programs.run(
                  dispatcher,
                  Stream.of(Servants.values()).map(ProgramsTest::load).toArray(String[]::new)));
      String without = servants.startDispatcher(servers, workDir.resolve("without-workers"));
      printed.addAll(Programs.run(without, OWN_WORKER, OWN_WORKER));
      return printed;
    }
  }

  private static Path saved(Servants by) {
    return folder.resolve("saved-by-" + by);
  }

  private static String load(Servants savedBy) {
    return "load.py DISPATCHER " + saved(savedBy);
  }

  private static String experiment(String name) {
    return "experiment.py DISPATCHER %s %d".formatted(name, EXPERIMENTS.get(name));
  }

  @ParameterizedTest
  @EnumSource(names = {"STOCK", "HEADRACE"})
  void fit_onOneWorker_hasStocksLosses(Servants servants) {
    List<String> epochs = onDay(servants, FIT_IN_ORDER);

    assertThat(epochs).hasSize(3).isEqualTo(onDay(Servants.STOCK, FIT_IN_ORDER));
    assertThat(epochs)
        .extracting(epoch -> Double.valueOf(words(epoch).getFirst()))
        .isSortedAccordingTo(Comparator.reverseOrder());
  }

  @ParameterizedTest
  @EnumSource
  void fit_onTwoWorkers_seesEachExampleOnceAnEpoch(Servants servants) {
    List<String> stepsAndExamples = Stream.concat(Stream.of("16"), numbers(512)).toList();

    assertThat(onDay(servants, FIT))
        .hasSize(3)
        .allSatisfy(epoch -> assertThat(rest(words(epoch))).isEqualTo(stepsAndExamples));
  }

  @ParameterizedTest
  @EnumSource
  void trainersInStep_getEqualLengthsOfOneWorker_andNothingTwice(Servants servants) {
    List<List<String>> steps = steps(servants);

    Set<String> read = new HashSet<>();
    Set<String> marks = new HashSet<>();
    for (List<String> step : steps) {
      assertThat(step)
          .extracting(batch -> words(batch).subList(0, 2))
          .containsOnly(words(step.getFirst()).subList(0, 2));
      for (String batch : step) {
        String mark = words(batch).get(1);
        marks.add(mark);
        for (String number : words(batch).subList(2, 4)) {
          assertThat(read.add(mark + " " + number)).as("line %s is new", number).isTrue();
        }
      }
    }
    assertThat(marks).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void trainersInStep_getStocksBatchesOfEachWorker(Servants servants) {
    List<List<String>> expected = byWorker(Servants.STOCK).getFirst();

    for (List<List<String>> ofWorker : byWorker(servants)) {
      int common = Math.min(ofWorker.size(), expected.size());
      assertThat(common).isPositive();
      assertThat(ofWorker.subList(0, common)).isEqualTo(expected.subList(0, common));
    }
  }

  @ParameterizedTest
  @EnumSource
  void slowTrainerOfASweep_getsTheImagesOfTheFastOne(Servants servants) {
    Map<String, String> slow = images(onDay(servants, "sweep.py DISPATCHER slow 0.002"));
    List<String> fastLines = new ArrayList<>();
    allOnDay(servants, "sweep.py DISPATCHER fast 0").forEach(fastLines::addAll);

    Map<String, String> fast = images(fastLines); // fails if its two readers got the same image
    List<String> common = slow.keySet().stream().filter(fast::containsKey).toList();
    assertThat(common).hasSizeGreaterThan(100);
    assertThat(common).allSatisfy(image -> assertThat(fast).containsEntry(image, slow.get(image)));
  }

  @ParameterizedTest
  @EnumSource
  void slowTrainerOfASweep_skipsNothing(Servants servants) {
    Map<String, List<String>> byWorker =
        onDay(servants, "sweep.py DISPATCHER slow 0.002").stream()
            .collect(groupingBy(line -> words(line).getFirst()));

    assertThat(byWorker).hasSize(2);
    assertThat(byWorker.values())
        .allSatisfy(lines ->
            assertThat(lines)
                .extracting(line -> words(line).get(1))
                .containsExactlyElementsOf(numbers(lines.size()).toList()));
  }

  @ParameterizedTest
  @EnumSource
  void trainersOfAnExperiment_shareEachEpoch(Servants servants) {
    EXPERIMENTS.forEach((name, size) -> {
      List<List<String>> trainers = allOnDay(servants, experiment(name));
      for (int epoch = 0; epoch < 3; epoch++) {
        assertThat(together(trainers, epoch))
            .as("epoch %d of %s", epoch, name)
            .containsExactlyInAnyOrderElementsOf(
                LongStream.range(0, size).mapToObj(x -> Long.toString(x * x)).toList());
      }
    });
  }

  @ParameterizedTest
  @EnumSource
  void evaluation_getsAllOfItsDatasetEachTime(Servants servants) {
    List<String> evaluations = onDay(servants, EVALUATE);

    String expected = onDay(Servants.STOCK, EVALUATE).getFirst();
    assertThat(words(expected)).hasSize(2 * 66);
    assertThat(evaluations).hasSize(5).containsOnly(expected);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheServiceSaves_isLoadedByOtherServersOnTheNextDay(Servants servants) {
    List<String> saved = onDay(servants, "save.py DISPATCHER " + saved(servants));

    assertThat(saved).hasSize(1 + 300).doesNotHaveDuplicates();
    assertThat(saved)
        .isEqualTo(onDay(Servants.STOCK, "save.py DISPATCHER " + saved(Servants.STOCK)));
    assertThat(only(nextDay, Servants.STOCK, load(servants))).isEqualTo(saved);
    assertThat(only(nextDay, Servants.HEADRACE, load(servants))).isEqualTo(saved);
  }

  @ParameterizedTest
  @EnumSource(names = {"STOCK", "HEADRACE"})
  void trainersWithWorkersOfTheirOwn_readThoseAlone(Servants servants) {
    List<List<String>> trainers = all(nextDay, servants, OWN_WORKER);

    List<String> expected = IntStream.range(0, 300).mapToObj(x -> Integer.toString(3 * x)).toList();
    assertThat(trainers).hasSize(2).allSatisfy(lines -> assertThat(lines).hasSize(2));
    assertThat(trainers)
        .allSatisfy(lines -> assertThat(words(lines.getFirst())).isEqualTo(expected));
    assertThat(together(trainers, 1)).containsExactlyInAnyOrderElementsOf(expected);
  }

  /** For each step of the trainers that read in step, their lines. */
  private List<List<String>> steps(Servants servants) {
    List<List<String>> trainers = new ArrayList<>();
    for (int i = 0; i < TRAINERS; i++) {
      trainers.add(onDay(servants, "bucketed_text.py DISPATCHER " + i));
    }
    assertThat(trainers).allSatisfy(steps -> assertThat(steps).hasSize(24));
    return IntStream.range(0, 24)
        .mapToObj(step -> trainers.stream().map(lines -> lines.get(step)).toList())
        .toList();
  }

  /** The same for each worker, without its mark. */
  private List<List<List<String>>> byWorker(Servants servants) {
    Map<String, List<List<String>>> byMark =
        steps(servants).stream().collect(groupingBy(step -> words(step.getFirst()).get(1)));
    return byMark.entrySet().stream()
        .map(worker ->
            worker.getValue().stream()
                .map(step ->
                    step.stream().map(batch -> batch.replace(worker.getKey() + " ", "")).toList())
                .toList())
        .toList();
  }

  /** The pixels by the worker's mark and the image's number. */
  private static Map<String, String> images(List<String> lines) {
    return lines.stream()
        .map(ProgramsTest::words)
        .collect(toMap(image -> image.get(0) + " " + image.get(1), image -> image.get(2)));
  }

  /** The words of the same line of several programs. */
  private static List<String> together(List<List<String>> programs, int line) {
    return programs.stream().flatMap(lines -> words(lines.get(line)).stream()).toList();
  }

  private static Stream<String> numbers(int n) {
    return IntStream.range(0, n).mapToObj(Integer::toString);
  }

  private static List<String> words(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(" ", -1));
  }

  private static List<String> rest(List<String> words) {
    return words.subList(1, words.size());
  }

  private List<String> onDay(Servants servants, String command) {
    return only(day, servants, command);
  }

  private List<List<String>> allOnDay(Servants servants, String command) {
    return all(day, servants, command);
  }

  private static List<String> only(
      Map<Servants, List<Printed>> day, Servants servants, String command) {
    List<List<String>> all = all(day, servants, command);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  /** The lines of each program that was started by {@code command}; fails if one of them failed. */
  private static List<List<String>> all(
      Map<Servants, List<Printed>> day, Servants servants, String command) {
    return Objects.requireNonNull(day.get(servants)).stream()
        .filter(printed -> printed.command().equals(command))
        .peek(Printed::check)
        .map(Printed::lines)
        .toList();
  }
}

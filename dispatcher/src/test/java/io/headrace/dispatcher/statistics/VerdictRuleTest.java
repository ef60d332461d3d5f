package io.headrace.dispatcher.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.statistics.Verdict.Code;
import io.headrace.proto.headrace.PeerKind;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The limits of jobs, for pipelines that are slow in a known place and for healthy ones. */
final class VerdictRuleTest {
  private static final JobLoad.Cluster TWO_WORKERS =
      new JobLoad.Cluster(2, 0, OptionalDouble.of(1.5));

  private static final JobLoad.Splits MANY = new JobLoad.Splits(10_000, 5_000);

  /** A stage that waits for its input where it does not work. */
  private static StageLoad stage(int consumer, String name, double busy) {
    return stage(consumer, name, busy, 1 - busy, 100);
  }

  private static StageLoad stage(
      int consumer, String name, double busy, double starved, double rows) {
    return new StageLoad(
        consumer,
        name,
        name.contains("Map") ? "augment" : "",
        starved,
        Math.max(0, 1 - busy - starved),
        busy,
        rows,
        name.contains("Parallel") ? 4 : 1,
        name.contains("Parallel") ? 4 : 1,
        OptionalDouble.empty());
  }

  private static StageLoad buffer(int consumer, double starved, double fill) {
    return new StageLoad(
        consumer, "Prefetch", "", starved, 1 - starved, 0, 100, 1, 1, OptionalDouble.of(fill));
  }

  private static TaskLoad task(
      String worker, double rows, double empty, double full, StageLoad... stages) {
    return task(worker, rows, empty, 0, full, stages);
  }

  private static TaskLoad task(
      String worker, double rows, double empty, double withheld, double full, StageLoad... stages) {
    return new TaskLoad(
        worker.hashCode(),
        worker,
        false,
        Optional.of(
            new TaskLoad.Window(
                12_000,
                false,
                false,
                List.of(stages),
                rows,
                8 * rows,
                empty,
                withheld,
                full,
                full > 0.5 ? 1 : 0)));
  }

  private static TaskLoad ended(String worker) {
    return new TaskLoad(
        worker.hashCode(),
        worker,
        false,
        Optional.of(new TaskLoad.Window(12_000, false, true, List.of(), 0, 0, 1, 0, 0, 0)));
  }

  private static TaskLoad ofStock(String worker) {
    return new TaskLoad(worker.hashCode(), worker, true, Optional.empty());
  }

  private static ReaderLoad reader(double wait) {
    return new ReaderLoad(
        3000, PeerKind.HEADRACE, "loopback", OptionalDouble.of(200), OptionalDouble.of(wait));
  }

  private static ReaderLoad stockReader() {
    return new ReaderLoad(
        3001, PeerKind.STOCK, "loopback", OptionalDouble.empty(), OptionalDouble.empty());
  }

  private static JobLoad job(List<ReaderLoad> readers, TaskLoad... tasks) {
    return job(TWO_WORKERS, MANY, readers, tasks);
  }

  private static JobLoad job(
      JobLoad.Cluster cluster, JobLoad.Splits splits, List<ReaderLoad> readers, TaskLoad... tasks) {
    return new JobLoad(
        false, false, cluster, splits, 0, List.of(tasks), readers, JobLoad.Group.NONE);
  }

  private static JobLoad inAGroup(JobLoad.Group group, TaskLoad... tasks) {
    return new JobLoad(
        false, false, TWO_WORKERS, MANY, 0, List.of(tasks), List.of(reader(1)), group);
  }

  private static StageLoad[] mapOf(double busy) {
    return new StageLoad[] {
      stage(-1, "BatchV2", 0.02), stage(0, "ParallelMapV2", busy), stage(1, "TFRecord", 0.05)
    };
  }

  private static StageLoad[] sourceOf(double busy) {
    return new StageLoad[] {
      stage(-1, "BatchV2", 0.02), stage(0, "ParallelMapV2", 0.03), stage(1, "TFRecord", busy)
    };
  }

  /** Work of nobody: the shares of a pipeline whose buffer is full. */
  private static StageLoad[] atRest() {
    return new StageLoad[] {
      stage(-1, "ParallelMapV2", 0.3, 0.1, 100), stage(0, "TFRecord", 0.1, 0, 100)
    };
  }

  static Stream<Arguments> slowPipelines() {
    List<ReaderLoad> waits = List.of(reader(0.38));
    return Stream.of(
        Arguments.of(
            "slow map",
            job(waits, task("a", 100, 0.4, 0, mapOf(0.97)), task("b", 100, 0.4, 0, mapOf(0.96))),
            Code.STAGE,
            "readers wait 38 % of their time for stage ParallelMapV2(augment) on 2 of 2 workers:"
                + " it is busy 97 % of the time with 4 of 4 threads"),
        Arguments.of(
            "slow map on one of two workers that are equally fast otherwise",
            job(waits, task("a", 100, 0.4, 0, mapOf(0.9)), task("b", 90, 0.4, 0, mapOf(0.3))),
            Code.STAGE,
            "ParallelMapV2(augment) on 1 of 2 workers"),
        Arguments.of(
            "slow map that is not parallel",
            job(
                waits,
                task(
                    "a",
                    100,
                    0.9,
                    0,
                    stage(-1, "BatchV2", 0.1),
                    stage(0, "Map", 0.8, 0.1, 100),
                    stage(1, "Range", 0.1, 0, 100))),
            Code.STAGE,
            "stage Map(augment) on worker a: it is busy 80 % of the time"),
        Arguments.of(
            "several stages on one thread",
            job(
                waits,
                task(
                    "a",
                    100,
                    0.9,
                    0,
                    stage(-1, "BatchV2", 0.2, 0.8, 100),
                    stage(0, "Map", 0.25, 0.55, 100),
                    stage(1, "Shuffle", 0.2, 0.35, 100),
                    stage(2, "TextLine", 0.35, 0, 100))),
            Code.SOURCE,
            "source TextLine"),
        Arguments.of(
            "slow source",
            job(
                waits,
                task("a", 100, 0.4, 0, sourceOf(0.95)),
                task("b", 99, 0.4, 0, sourceOf(0.9))),
            Code.SOURCE,
            "for source TFRecord on 2 of 2 workers: it is busy 95 % of the time"),
        Arguments.of(
            "slow source behind an empty buffer",
            job(
                waits,
                task(
                    "a",
                    100,
                    0.4,
                    0,
                    stage(-1, "BatchV2", 0.02),
                    buffer(0, 0.98, 0.01),
                    stage(1, "TFRecord", 0.98, 0, 100))),
            Code.SOURCE,
            "source TFRecord"),
        Arguments.of(
            "slow map behind a full buffer: the stage before the buffer is busier at times",
            job(
                waits,
                task(
                    "a",
                    100,
                    0.4,
                    0,
                    stage(-1, "ParallelMapV2", 0.4, 0.05, 100),
                    buffer(0, 0.3, 0.95),
                    stage(1, "TFRecord", 0.45, 0, 100))),
            Code.STAGE,
            "stage ParallelMapV2(augment)"),
        Arguments.of(
            "slow worker",
            job(
                waits,
                task("a", 100, 0.4, 0, mapOf(0.9)),
                task("b", 45, 0.4, 0, mapOf(0.97)),
                task("c", 104, 0.4, 0, mapOf(0.9))),
            Code.SLOW_WORKER,
            "worker b is slow: it sends 45 rows/s, the others 104"),
        Arguments.of(
            "network, or a reader that takes too little",
            job(waits, task("a", 100, 0.05, 0.8, atRest()), task("b", 100, 0.05, 0.7, atRest())),
            Code.NETWORK,
            "the way to reader 3000 is full: workers have rows ready and wait for room 70 %"),
        Arguments.of(
            "filter that drops nearly all",
            job(
                waits,
                task(
                    "a",
                    3,
                    0.4,
                    0,
                    stage(-1, "BatchV2", 0.02),
                    stage(0, "Filter", 0.1, 0.9, 3),
                    stage(1, "ParallelMapV2", 0.95, 0.05, 1000),
                    stage(2, "TFRecord", 0.02, 0, 1000))),
            Code.FILTER,
            "Filter drops nearly all: on worker a it keeps 3.0 of 1,000 rows/s, 0.30 %"),
        Arguments.of(
            "buffer too small",
            job(
                waits,
                task(
                    "a",
                    100,
                    0.4,
                    0.1,
                    stage(-1, "Map", 0.55, 0.4, 100),
                    buffer(0, 0.6, 0.4),
                    stage(1, "TFRecord", 0.6, 0, 100))),
            Code.BUFFER,
            "the buffer of Prefetch is too small: the work before it waits for room 40 %"),
        Arguments.of(
            "one huge split",
            job(
                TWO_WORKERS,
                new JobLoad.Splits(8, 0),
                waits,
                task("a", 100, 0.4, 0, mapOf(0.9)),
                ended("b")),
            Code.ONE_SPLIT,
            "all 8 splits are taken, and only worker a still works"),
        Arguments.of(
            "no worker",
            job(new JobLoad.Cluster(0, 0, OptionalDouble.empty()), MANY, waits),
            Code.NO_WORKER,
            "no worker is registered"),
        Arguments.of(
            "no worker answers",
            job(new JobLoad.Cluster(3, 3, OptionalDouble.empty()), MANY, waits),
            Code.NO_WORKER,
            "none of the 3 registered workers answers"),
        Arguments.of("workers that lack an op", job(waits), Code.NO_TASK, "no worker has a task"),
        Arguments.of(
            "journal that delays splits",
            job(
                new JobLoad.Cluster(2, 0, OptionalDouble.of(80)),
                MANY,
                waits,
                task("a", 100, 0.4, 0, sourceOf(0.9))),
            Code.JOURNAL,
            "the journal: commits take 80 ms; readers wait 38 % of their time, and workers wait for"
                + " splits"),
        Arguments.of(
            "journal that delays announcements",
            job(
                new JobLoad.Cluster(2, 0, OptionalDouble.of(80)),
                MANY,
                List.of(stockReader()),
                task("a", 100, 0.02, 0.5, 0.3, atRest())),
            Code.JOURNAL,
            "50 % for rows that must be announced first"),
        Arguments.of(
            "slow map, read by a stock client",
            job(List.of(stockReader()), task("a", 100, 0.9, 0, mapOf(0.97))),
            Code.STAGE,
            "readers wait at most 90 % of their time for stage ParallelMapV2(augment)"),
        Arguments.of(
            "nothing works",
            job(waits, task("a", 0, 1, 0, stage(-1, "BatchV2", 0), stage(0, "Range", 0.01, 0, 0))),
            Code.UNCLEAR,
            "no stage of the workers is busy"),
        Arguments.of(
            "readers that wait for the rest of their group, with a source that waits for splits",
            inAGroup(new JobLoad.Group(1, 3), task("a", 0, 1, 0, sourceOf(1))),
            Code.GROUP,
            "1 of the 3 readers that read together have joined, and wait for the others"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("slowPipelines")
  void slowPipeline_isNamed(String pipeline, JobLoad load, Code code, String text) {
    Verdict verdict = VerdictRule.of(load);

    assertThat(verdict.code()).as(verdict.text()).isEqualTo(code);
    assertThat(verdict.text()).contains(text);
    assertThat(verdict.advice()).isNotEmpty();
  }

  static Stream<Arguments> healthyPipelines() {
    return Stream.of(
        Arguments.of(
            "a trainer that computes",
            job(List.of(reader(0.004)), task("a", 100, 0, 0.9, atRest())),
            "the trainer is the limit: it waits 0.4 % of its time for data"),
        Arguments.of(
            "a trainer that never waits",
            job(List.of(reader(0)), task("a", 100, 0, 0.99, atRest())),
            "it waits 0 % of its time"),
        Arguments.of(
            "workers that are busy, and just fast enough",
            job(List.of(reader(0.03)), task("a", 100, 0.1, 0, mapOf(0.99))),
            "it waits 3.0 %"),
        Arguments.of(
            "a stock trainer that computes",
            job(List.of(stockReader()), task("a", 100, 0.01, 0.9, atRest())),
            "it waits at most 1.0 %"),
        Arguments.of(
            "a stock trainer that always finds rows at one of the workers",
            job(
                List.of(stockReader()),
                task("a", 100, 0.9, 0, mapOf(0.99)),
                task("b", 100, 0, 0.9, atRest())),
            "it waits at most 0 %"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("healthyPipelines")
  void healthyPipeline_isNotBlamed(String pipeline, JobLoad load, String text) {
    Verdict verdict = VerdictRule.of(load);

    assertThat(verdict.code()).isEqualTo(Code.TRAINER);
    assertThat(verdict.text()).contains(text);
    assertThat(verdict.advice()).contains("the trainer's own step");
    assertThat(verdict.stage()).isEmpty();
    assertThat(verdict.worker()).isEmpty();
  }

  @Test
  void readerThatWaitsMost_counts() {
    JobLoad load = job(List.of(reader(0), reader(0.6)), task("a", 100, 0.4, 0, mapOf(0.97)));

    assertThat(VerdictRule.of(load).waitShare()).hasValue(0.6);
    assertThat(VerdictRule.of(load).code()).isEqualTo(Code.STAGE);
  }

  @Test
  void stockAtBothEnds_isUnknown_andSaysSo() {
    Verdict verdict = VerdictRule.of(job(List.of(stockReader()), ofStock("a"), ofStock("b")));

    assertThat(verdict.code()).isEqualTo(Code.UNKNOWN);
    assertThat(verdict.text()).contains("readers and workers are TensorFlow's own");
    assertThat(verdict.waitShare()).isEmpty();
  }

  @Test
  void stockWorkers_withAReaderThatWaits_areUnknown() {
    Verdict verdict = VerdictRule.of(job(List.of(reader(0.4)), ofStock("a")));

    assertThat(verdict.code()).isEqualTo(Code.UNKNOWN);
    assertThat(verdict.text())
        .contains("readers wait 40 % of their time, and TensorFlow's own workers do not tell why");
  }

  @Test
  void peersThatHaveNotReported_areBeingMeasured() {
    TaskLoad silent = new TaskLoad(1, "a", false, Optional.empty());
    ReaderLoad joined =
        new ReaderLoad(1, PeerKind.HEADRACE, "", OptionalDouble.empty(), OptionalDouble.empty());

    assertThat(VerdictRule.of(job(List.of(joined), silent)).code()).isEqualTo(Code.MEASURING);
    assertThat(VerdictRule.of(job(List.of(reader(0.5)), silent)).code()).isEqualTo(Code.MEASURING);
  }

  @Test
  void wholeGroup_isNoLimit() {
    JobLoad load = inAGroup(new JobLoad.Group(3, 3), task("a", 100, 0.4, 0, mapOf(0.97)));

    assertThat(VerdictRule.of(load).code()).isEqualTo(Code.STAGE);
  }

  @Test
  void jobThatNobodyReads_orThatIsOver_isNotBlamed() {
    JobLoad unread = job(List.of(), task("a", 0, 0, 1, atRest()));
    JobLoad over =
        new JobLoad(
            false, true, TWO_WORKERS, MANY, 2, List.of(), List.of(reader(0.9)), JobLoad.Group.NONE);

    assertThat(VerdictRule.of(unread).code()).isEqualTo(Code.NO_READER);
    assertThat(VerdictRule.of(over).code()).isEqualTo(Code.FINISHED);
  }

  @Test
  void firstSeconds_blameNothing_unlessNobodyWaits() {
    TaskLoad young = young(task("a", 100, 0.4, 0, mapOf(0.97)));
    JobLoad waiting = firstPass(reader(0.38), young);
    JobLoad busy = firstPass(reader(0.01), young);
    JobLoad later = firstPass(reader(0.38), task("a", 100, 0.4, 0, mapOf(0.97)));

    assertThat(VerdictRule.of(waiting).code()).isEqualTo(Code.MEASURING);
    assertThat(VerdictRule.of(waiting).text()).contains("the job has just begun");
    assertThat(VerdictRule.of(busy).code()).isEqualTo(Code.TRAINER);
    assertThat(VerdictRule.of(later).code()).isEqualTo(Code.STAGE);
  }

  private static JobLoad firstPass(ReaderLoad reader, TaskLoad... tasks) {
    return new JobLoad(
        true, false, TWO_WORKERS, MANY, 0, List.of(tasks), List.of(reader), JobLoad.Group.NONE);
  }

  private static TaskLoad young(TaskLoad task) {
    TaskLoad.Window of = task.window().orElseThrow();
    return new TaskLoad(
        task.id(),
        task.worker(),
        task.stock(),
        Optional.of(
            new TaskLoad.Window(
                4_000,
                true,
                of.ended(),
                of.stages(),
                of.rowsPerSecond(),
                of.bytesPerSecond(),
                of.empty(),
                of.withheld(),
                of.full(),
                of.fill())));
  }

  @Test
  void fewRows_sayNothingOfAWorker() {
    JobLoad few =
        job(
            List.of(reader(0.9)),
            task("a", 0.06, 0.9, 0, mapOf(0.2)),
            task("b", 0.18, 0.9, 0, mapOf(0.9)));

    assertThat(VerdictRule.of(few).code()).isEqualTo(Code.STAGE);
  }

  @Test
  void filter_isToComeBeforeTheWork_thatIsNamed() {
    JobLoad filtered =
        job(
            List.of(reader(0.9)),
            task(
                "a",
                3,
                0.9,
                0,
                stage(-1, "Filter", 0.1, 0.9, 3),
                stage(0, "ParallelMapV2", 0.95, 0.05, 1000)));

    assertThat(VerdictRule.of(filtered).advice())
        .startsWith("filter before ParallelMapV2(augment), which is busy 95 %");
  }

  @Test
  void opsThatTakeMuchOfAStage_areNamed() {
    StageLoad busy = stage(0, "ParallelMapV2", 0.9);
    StageLoad told =
        new StageLoad(
            busy.consumer(),
            busy.name(),
            busy.function(),
            busy.starved(),
            busy.blocked(),
            busy.busy(),
            busy.rowsPerSecond(),
            busy.threads(),
            busy.maxThreads(),
            busy.fill(),
            List.of(
                new StageLoad.Kernel("DecodeJpeg", 0.62),
                new StageLoad.Kernel("ResizeBilinear", 0.25),
                new StageLoad.Kernel("Cast", 0.1)));

    Verdict verdict =
        VerdictRule.of(
            job(
                List.of(reader(0.9)),
                task(
                    "a:1",
                    100,
                    0.9,
                    0,
                    stage(-1, "BatchV2", 0.02),
                    told,
                    stage(1, "TFRecord", 0.05))));

    assertThat(verdict.code()).isEqualTo(Code.STAGE);
    assertThat(verdict.text())
        .endsWith(", 62 % of that in DecodeJpeg and 25 % of that in ResizeBilinear");
  }
}

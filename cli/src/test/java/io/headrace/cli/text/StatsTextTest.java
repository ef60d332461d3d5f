package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.StageStatistics;
import io.headrace.proto.headrace.TaskStatistics;
import io.headrace.proto.headrace.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StatsTextTest {
  private static JobStatistics.Builder job() {
    return JobStatistics.newBuilder()
        .setJobId(5000)
        .setJobName("training")
        .setIterationId(2000)
        .setRepetition(1)
        .setWindowMs(12_345)
        .setVerdict(
            Verdict.newBuilder()
                .setCode("stage")
                .setText(
                    "readers wait 38 % of their time for stage ParallelMapV2(augment) on 2 of 8"
                        + " workers: it is busy 97 % of the time with 4 of 4 threads")
                .setAdvice("add workers, or make the function cheaper"))
        .addReaders(
            ReadingStatistics.newBuilder().setId(3000).setElementsPerSecond(812).setWaitShare(0.38))
        .addReaders(ReadingStatistics.newBuilder().setId(3001))
        .addStages(stage(-1, "Prefetch", 0, 0.97).setFill(0.02))
        .addStages(stage(0, "ParallelMapV2", 0.97, 0.01).setFunction("augment").setMaxThreads(4))
        .addStages(stage(1, "Zip", 0.01, 0.1))
        .addStages(stage(2, "TFRecord", 0.06, 0))
        .addStages(stage(2, "Range", 0, 0))
        .addTasks(
            TaskStatistics.newBuilder()
                .setWorkerAddress("worker-1.example:5051")
                .setRowsPerSecond(812)
                .setBytesPerSecond(4_000_000)
                .setFill(0.01)
                .setEmpty(0.98))
        .addTasks(TaskStatistics.newBuilder().setWorkerAddress("stock.example:5051"));
  }

  private static StageStatistics.Builder stage(
      int consumer, String name, double busy, double starved) {
    return StageStatistics.newBuilder()
        .setConsumer(consumer)
        .setName(name)
        .setBusy(busy)
        .setStarved(starved)
        .setRowsPerSecond(812)
        .setThreads(1)
        .setMaxThreads(1)
        .setWorkers(1);
  }

  @Test
  void lines_tellHowManyWorkersAreWanted_andFromWhomTheyDoNotKnow() {
    assertThat(new StatsText(job().build()).lines()).noneMatch(line -> line.startsWith("workers:"));
    assertThat(new StatsText(job().setOptimalWorkers(12).build()).lines())
        .contains("workers: 12 would keep pace with the readers");
    assertThat(
            new StatsText(
                    job()
                        .setOptimalWorkers(12)
                        .setTasksWithoutTimes(1)
                        .setReadersWithoutTimes(3)
                        .build())
                .lines())
        .containsSequence(
            "workers: 12 would keep pace with the readers; 1 tasks and 3 readers tell no",
            "         times, and are left out");
  }

  @Test
  void lines_haveTheVerdictTheStagesAndTheWorkers() {
    List<String> lines = new StatsText(job().build()).lines();

    assertThat(lines)
        .containsExactly(
            "job 5000 (training), repetition 1, the last 12 s",
            "",
            "verdict: readers wait 38 % of their time for stage ParallelMapV2(augment) on 2",
            "         of 8 workers: it is busy 97 % of the time with 4 of 4 threads [stage]",
            "advice:  add workers, or make the function cheaper",
            "",
            "STAGE                    ROWS/S  THREADS  FILL  BUSY  TIME",
            "reader 3000                 812        -     -   62%  ############--------",
            "reader 3001 (no report)       -        -     -     -",
            "Prefetch                    812        1    2%    0%  -------------------.",
            "ParallelMapV2(augment)      812      1/4     -   97%  ###################.",
            "Zip                         812        1     -    1%  --..................",
            "  TFRecord                  812        1     -    6%  #...................",
            "  Range                     812        1     -    0%  ....................",
            "time: # works, - waits for its input, . waits for its consumer",
            "",
            "WORKER                 ROWS/S  BYTES/S  FILL  EMPTY  WITHHELD  FULL",
            "stock.example:5051          -        -     -      -         -     -",
            "worker-1.example:5051     812  4.00 MB    1%    98%        0%    0%");
  }

  @Test
  void lines_fitIn80Columns() {
    JobStatistics long80 =
        job()
            .setJobName("n".repeat(200))
            .addStages(stage(4, "s".repeat(100), 1, 0).setMaxThreads(10_000).setThreads(10_000))
            .addTasks(TaskStatistics.newBuilder().setWorkerAddress("w".repeat(100)))
            .build();

    assertThat(new StatsText(long80).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void bar_isAlwaysAsLong() {
    for (int busy = 0; busy <= 100; busy++) {
      for (int starved = 0; busy + starved <= 100; starved++) {
        assertThat(StatsText.bar(busy / 100.0, starved / 100.0)).hasSize(20);
      }
    }
  }
}

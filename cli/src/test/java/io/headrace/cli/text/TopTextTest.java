package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.StageStatistics;
import io.headrace.proto.headrace.TaskStatistics;
import io.headrace.proto.headrace.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TopTextTest {
  private static final GetStatusResponse STATUS =
      GetStatusResponse.newBuilder()
          .setDispatcher(
              DispatcherStatus.newBuilder()
                  .setAddress("127.0.0.1:5050")
                  .setUptimeMs(300_000)
                  .setWorkers(2)
                  .setJobs(3))
          .build();

  private static JobStatistics.Builder job(long id, String name, double wait) {
    return JobStatistics.newBuilder()
        .setJobId(id)
        .setJobName(name)
        .setIterationId(2000)
        .setRepetition(1)
        .setWindowMs(10_000)
        .setVerdict(
            Verdict.newBuilder()
                .setCode("stage")
                .setText("readers wait for stage Map")
                .setStage("Map")
                .setWaitShare(wait))
        .addStages(StageStatistics.newBuilder().setConsumer(-1).setName("Map").setBusy(1))
        .addTasks(TaskStatistics.newBuilder().setRowsPerSecond(50).setWorkerAddress("w:1"))
        .addReaders(ReadingStatistics.newBuilder().setId(3000));
  }

  private static TopText text(Optional<String> chosen, JobStatistics.Builder... jobs) {
    return new TopText(
        STATUS, List.of(jobs).stream().map(JobStatistics.Builder::build).toList(), chosen);
  }

  @Test
  void screen_hasTheJobsThatWaitTheMostFirst_andTheStagesOfTheFirst() {
    List<String> lines =
        text(Optional.empty(), job(5000, "well", 0.01), job(5001, "slow", 0.9)).screen();

    assertThat(lines.getFirst())
        .isEqualTo("headrace top  127.0.0.1:5050, up 5 min: 2 workers (0 lost), 3 jobs, 0 readers");
    assertThat(lines.get(3)).matches("5001 +slow +1 +1 +1 +50 +90% +stage Map");
    assertThat(lines.get(4)).matches("5000 +well .* 1% +stage Map");
    assertThat(lines).contains("job 5001 (slow), repetition 1, the last 10 s");
  }

  @Test
  void chosenJob_hasItsStagesShown() {
    List<String> lines =
        text(Optional.of("5000"), job(5000, "well", 0.01), job(5001, "slow", 0.9)).screen();

    assertThat(lines).contains("job 5000 (well), repetition 1, the last 10 s");
  }

  @Test
  void manyJobsAndStages_fitTheScreen() {
    JobStatistics.Builder[] jobs = new JobStatistics.Builder[TopText.MOST_JOBS];
    for (int i = 0; i < jobs.length; i++) {
      jobs[i] = job(5000 + i, "a name that is far too long for a table of jobs", 0.5);
      for (int stage = 0; stage < 30; stage++) {
        jobs[i].addStages(StageStatistics.newBuilder().setConsumer(stage).setName("Map"));
      }
    }

    assertThat(text(Optional.empty(), jobs).screen())
        .hasSize(TopText.HEIGHT - 1)
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void lines_areOneForEachJob() {
    List<String> lines = new ArrayList<>(text(Optional.empty(), job(5000, "a", 0.1)).lines());

    assertThat(lines)
        .containsExactly("job 5000 (a): 50 elements/s: readers wait for stage Map [stage]");
  }

  @Test
  void readersThatTell_countRatherThanWorkers() {
    JobStatistics.Builder job =
        job(5000, "a", 0.1)
            .addReaders(ReadingStatistics.newBuilder().setId(3001).setElementsPerSecond(7));

    assertThat(text(Optional.empty(), job).lines().getFirst()).contains("7.00 elements/s");
  }

  @Test
  void noJob_saysSo() {
    assertThat(text(Optional.empty()).screen()).contains("no job is being read");
  }
}

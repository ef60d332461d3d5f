package io.headrace.dispatcher.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headrace.proto.headrace.JobHistory;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class JobActivityTest {
  private static final JobActivity.Key JOB = new JobActivity.Key(5000, "training");
  private static final long READER = 3000;

  private final JobActivity activity = new JobActivity();

  private static long at(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  private static ReadingInterval reading(double from, double to, long elements, long waitMillis) {
    return new ReadingInterval(at(from), at(to), elements, waitMillis);
  }

  /** A task that hands out 100 rows of 8 bytes a second, whose map is busy for a part of it. */
  private static TaskInterval task(double from, double to, double passSeconds, double busy) {
    return new TaskInterval(
        at(from),
        at(to),
        at(passSeconds),
        new TaskLoad.Window(
            2000,
            false,
            false,
            List.of(stage("Map", "__inference_Dataset_map_augment_7", busy), stage("Range", "", 0)),
            100,
            800,
            0.25,
            0,
            0.5,
            1));
  }

  private static StageLoad stage(String name, String function, double busy) {
    return new StageLoad(-1, name, function, 1 - busy, 0, busy, 100, 1, 1, OptionalDouble.empty());
  }

  private JobHistory history(double seconds) {
    return activity.history(JOB.id()).orElseThrow().message(at(seconds)).build();
  }

  private JobTotal total() {
    assertThat(activity.totals()).hasSize(1);
    return activity.totals().getFirst();
  }

  @Test
  void readers_addUp_andWaitForTheMeanOfTheirTime() {
    activity.read(JOB, READER, reading(998, 1000, 20, 1000));
    activity.read(JOB, READER + 1, reading(998, 1000, 40, 0));

    JobHistory history = history(999.5);

    assertThat(history.getElementsPerSecondList()).containsExactly(30f, 30f);
    assertThat(history.getWaitShareList()).containsExactly(0.25f, 0.25f);
    assertThat(history.getReaders(0).getId()).isEqualTo(READER);
    assertThat(history.getReaders(0).getWaitShareList()).containsExactly(0.5f, 0.5f);
    assertThat(history.getReaders(1).getElementsPerSecondList()).containsExactly(20f, 20f);
    assertThat(total().elements()).isEqualTo(60);
    assertThat(total().waitSeconds()).isEqualTo(1);
  }

  @Test
  void stagesOfSeveralWorkers_haveTheMeanOfTheirShares_andRowsAddUp() {
    activity.worked(JOB, task(998, 1000, 2, 0.5));
    activity.worked(JOB, task(998, 1000, 2, 1));

    JobHistory history = history(999);

    assertThat(history.getStagesList()).hasSize(2);
    assertThat(history.getStages(0).getName()).isEqualTo("Map");
    assertThat(history.getStages(0).getFunction()).isEqualTo("augment");
    assertThat(history.getStages(0).getBusyList()).containsExactly(0.75f, 0.75f);
    assertThat(history.getStages(0).getStarvedList()).containsExactly(0.25f, 0.25f);
    assertThat(history.getRowsPerSecondList()).containsExactly(200f, 200f);
    assertThat(history.getBytesPerSecondList()).containsExactly(1600f, 1600f);
    assertThat(history.getElementsPerSecondList()).containsExactly(-1f, -1f);
  }

  @Test
  void totalsOfStages_areOfTheTimeInWhichThePassRan() {
    activity.worked(JOB, task(998, 1000, 1, 0.5));

    JobTotal total = total();

    assertThat(total.rows()).isCloseTo(200, within(1e-6));
    assertThat(total.bytes()).isCloseTo(1600, within(1e-6));
    assertThat(total.emptySeconds()).isCloseTo(0.5, within(1e-6));
    assertThat(total.fullSeconds()).isCloseTo(1, within(1e-6));
    JobTotal.OfStage map = total.stages().getFirst();
    assertThat(map.name()).isEqualTo("Map(augment)");
    assertThat(map.rows()).isCloseTo(100, within(1e-6));
    assertThat(map.busySeconds()).isCloseTo(0.5, within(1e-6));
    assertThat(map.busySeconds() + map.starvedSeconds() + map.blockedSeconds())
        .isCloseTo(1, within(1e-6));
  }

  @Test
  void secondThatNobodyMeasured_hasNoValue() {
    activity.read(JOB, READER, reading(990, 991, 5, 0));
    activity.read(JOB, READER, reading(993, 994, 7, 0));

    assertThat(history(993).getElementsPerSecondList()).containsExactly(5f, -1f, -1f, 7f);
  }

  @Test
  void history_endsWithTenMinutes() {
    activity.read(JOB, READER, reading(0, 2000, 2000, 0));

    assertThat(history(1999).getElementsPerSecondList()).hasSize(SecondSeries.SECONDS - 1);
  }

  @Test
  void copyOfAHistory_doesNotChange() {
    activity.read(JOB, READER, reading(998, 999, 20, 0));
    JobSeries copy = activity.history(JOB.id()).orElseThrow();

    activity.read(JOB, READER, reading(998, 999, 20, 0));

    assertThat(copy.message(at(998)).getElementsPerSecondList()).containsExactly(20f);
  }

  @Test
  void historiesOfMoreJobsThanThereIsRoomFor_areThoseOfTheFirst() {
    for (long job = 0; job < JobHistories.MAX_SERIES; job++) {
      activity.read(new JobActivity.Key(job, "job"), READER, reading(0, 1, 1, 0));
    }

    assertThat(activity.history(0)).isPresent();
    assertThat(activity.history(JobHistories.MAX_SERIES - 1)).isEmpty();
  }

  @Test
  void jobsWithoutNewsForTenMinutes_makeRoom() {
    for (long job = 0; job < JobHistories.MAX_SERIES; job++) {
      activity.read(new JobActivity.Key(job, "job"), READER, reading(0, 1, 1, 0));
    }

    activity.read(JOB, READER, reading(1000, 1001, 1, 0));

    assertThat(activity.history(JOB.id())).isPresent();
    assertThat(activity.history(0)).isEmpty();
  }

  @Test
  void readersThatCameAndWent_makeRoomForNewOnes() {
    for (int i = 0; i < JobHistories.MAX_READERS; i++) {
      activity.read(JOB, i, reading(0, 1, 1, 0));
    }
    activity.read(JOB, 1000, reading(0, 1, 1, 0));
    assertThat(history(0).getReadersCount()).isEqualTo(JobHistories.MAX_READERS);

    activity.read(JOB, 1001, reading(1000, 1001, 1, 0));

    assertThat(history(1000).getReadersList()).hasSize(1);
  }

  @Test
  void totalsOfTheJobWithoutNewsForTheLongest_makeRoom_andAreCounted() {
    for (int job = 0; job <= JobTotals.MAX_JOBS; job++) {
      activity.begin(new JobActivity.Key(job, "job " + job));
    }

    assertThat(activity.totals())
        .hasSize(JobTotals.MAX_JOBS)
        .extracting(JobTotal::job)
        .doesNotContain("job 0");
    assertThat(activity.leftOut()).isEqualTo(1);
  }

  @Test
  void jobThatIsForgotten_leavesNothing_butThatOfAllAnonymousJobs() {
    JobActivity.Key other = new JobActivity.Key(1, JobActivity.ANONYMOUS);
    activity.worked(JOB, task(998, 1000, 2, 0.5));
    activity.worked(other, task(998, 1000, 2, 0.5));

    activity.forgetIf(id -> true, name -> true);

    assertThat(activity.history(JOB.id())).isEmpty();
    assertThat(activity.history(other.id())).isEmpty();
    assertThat(total().job()).isEqualTo(JobActivity.ANONYMOUS);
  }

  @Test
  void losses_areCountedByJob() {
    activity.lost(JOB, 3, 14);
    activity.lost(JOB, 0, 6);

    assertThat(total().lostTasks()).isEqualTo(2);
    assertThat(total().lostSplits()).isEqualTo(3);
    assertThat(total().lostElements()).isEqualTo(20);
  }
}

package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.FLOAT;

import io.headrace.proto.data.ActiveTask;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.headrace.BufferSums;
import io.headrace.proto.headrace.GetJobHistoryRequest;
import io.headrace.proto.headrace.GetJobStatisticsRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.StageStatistics;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.proto.headrace.Verdict;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The statistics of a job, from the reports of its workers and readers. */
final class JobStatisticsRpcTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private JobStatistics statistics(String job) {
    return dispatcher
        .admin()
        .getJobStatistics(GetJobStatisticsRequest.newBuilder().setJob(job).build());
  }

  /** Joins the first pass of the job "training" on two workers; returns the client id. */
  private long join() {
    peers.start("w:1");
    peers.start("w:2");
    return dispatcher.iterate(
        dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);
  }

  /** A task's report after some seconds in which its map worked for {@code busy} of the time. */
  private void report(long task, long seconds, double busy) {
    long micros = TimeUnit.SECONDS.toMicros(seconds);
    long next =
        dispatcher
            .extensions()
            .reportStages(
                ReportStagesRequest.newBuilder()
                    .addTasks(
                        TaskStages.newBuilder()
                            .setTaskId(task)
                            .setPass(task)
                            .setElapsedMicros(micros)
                            .addStages(
                                StageSums.newBuilder()
                                    .setConsumer(-1)
                                    .setName("Map")
                                    .setRows(50 * seconds)
                                    .setBusyMicros((long) (busy * micros))
                                    .setStarvedMicros((long) ((1 - busy) * micros)))
                            .addStages(
                                StageSums.newBuilder()
                                    .setConsumer(0)
                                    .setName("Range")
                                    .setRows(50 * seconds))
                            .setBuffer(
                                BufferSums.newBuilder()
                                    .setRows(50 * seconds)
                                    .setEmptyMicros(micros / 2)))
                    .build())
            .getNextMs();
    assertThat(next).isEqualTo(2000);
  }

  private void read(long client, long elements, long waitMillis) {
    var _ =
        dispatcher
            .extensions()
            .reportReading(
                ReportReadingRequest.newBuilder()
                    .setIterationClientId(client)
                    .setElements(elements)
                    .setWaitMs(waitMillis)
                    .build());
  }

  @Test
  void stagesOfAllWorkers_areMerged_andTheBusiestLimits() {
    long client = join();
    int appends = dispatcher.journal().appends();
    dispatcher.advance(Duration.ofSeconds(4));
    report(peers.task(client, "w:1"), 4, 0.6);
    report(peers.task(client, "w:2"), 4, 0.8);
    read(client, 100, 0);
    dispatcher.advance(Duration.ofSeconds(2));
    read(client, 300, 500);

    JobStatistics statistics = statistics("training");

    assertThat(statistics.getJobName()).isEqualTo("training");
    assertThat(statistics.getRepetition()).isEqualTo(1);
    assertThat(statistics.getWindowMs()).isEqualTo(4000);
    assertThat(statistics.getStagesList())
        .extracting(StageStatistics::getName)
        .containsExactly("Map", "Range");
    StageStatistics map = statistics.getStages(0);
    assertThat(map.getBusy()).isCloseTo(0.7, within(0.001));
    assertThat(map.getMaxBusy()).isCloseTo(0.8, within(0.001));
    assertThat(map.getBusiestWorker()).isEqualTo("w:2");
    assertThat(map.getRowsPerSecond()).isCloseTo(100, within(0.01));
    assertThat(map.getWorkers()).isEqualTo(2);
    assertThat(statistics.getStages(1).getConsumer()).isZero();
    assertThat(statistics.getTasksList()).hasSize(2);
    assertThat(statistics.getTasks(0).getEmpty()).isCloseTo(0.5, within(0.001));
    ReadingStatistics reader = statistics.getReaders(0);
    assertThat(reader.getKind()).isEqualTo(PeerKind.HEADRACE);
    assertThat(reader.getElementsPerSecond()).isCloseTo(100, within(0.01));
    assertThat(reader.getWaitShare()).isCloseTo(0.25, within(0.001));
    assertThat(statistics.getVerdict().getCode()).isEqualTo("measuring");

    dispatcher.advance(Duration.ofSeconds(8));
    report(peers.task(client, "w:1"), 14, 0.6);
    report(peers.task(client, "w:2"), 14, 0.8);
    read(client, 1100, 2500);

    Verdict verdict = statistics("training").getVerdict();
    assertThat(verdict.getCode()).isEqualTo("stage");
    assertThat(verdict.getStage()).isEqualTo("Map");
    assertThat(verdict.getWorker()).isEqualTo("w:2");
    assertThat(verdict.getWaitShare()).isCloseTo(0.25, within(0.001));
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
  }

  @Test
  void statistics_takeOneTurn() {
    join();
    long before = turns();

    statistics("training");

    assertThat(turns()).isEqualTo(before + 2);
  }

  @Test
  void counts_takeOneTurn_howeverManyWorkersThereAre() {
    long client = join();
    dispatcher.advance(Duration.ofSeconds(4));
    report(peers.task(client, "w:1"), 4, 0.6);
    for (int i = 0; i < 1500; i++) {
      dispatcher.startWorker("v:" + (1000 + i));
    }
    long before = turns();

    DispatcherCounts counts = dispatcher.counts();

    assertThat(counts.status().getDispatcher().getTurns()).isEqualTo(before + 1);
    assertThat(counts.status().getWorkersCount()).isEqualTo(StatusPage.MAX_ENTRIES);
    assertThat(counts.workers().values().stream().mapToLong(n -> n).sum())
        .isGreaterThanOrEqualTo(1500);
    assertThat(counts.jobs()).singleElement().matches(job -> job.job().equals("training"));
    assertThat(counts.jobs().getFirst().rows()).isCloseTo(200, within(0.01));
  }

  /** The turns of the dispatcher's loop, in another turn. */
  private long turns() {
    return dispatcher
        .admin()
        .getStatus(GetStatusRequest.getDefaultInstance())
        .getDispatcher()
        .getTurns();
  }

  @Test
  void readerThatReportsNoMore_isNotBlamed_norItsNetwork() {
    long client = join();
    dispatcher.advance(Duration.ofSeconds(4));
    report(peers.task(client, "w:1"), 4, 0.6);
    read(client, 100, 0);
    dispatcher.advance(Duration.ofSeconds(2));
    read(client, 100, 2000);
    assertThat(statistics("training").getReaders(0).getWaitShare()).isEqualTo(1);

    dispatcher.advance(Duration.ofSeconds(30));

    assertThat(statistics("training").getReaders(0).hasWaitShare()).isFalse();
    assertThat(statistics("training").getVerdict().getCode()).isEqualTo("measuring");
  }

  @Test
  void history_isOfTheSecondsWhoseReportsHaveCome() {
    long client = join();
    dispatcher.advance(Duration.ofSeconds(4));
    report(peers.task(client, "w:1"), 4, 0.6);
    read(client, 100, 0);
    dispatcher.advance(Duration.ofSeconds(4));
    report(peers.task(client, "w:1"), 8, 0.6);
    read(client, 300, 2000);
    dispatcher.advance(Duration.ofSeconds(2));
    int appends = dispatcher.journal().appends();

    JobHistory history =
        dispatcher
            .admin()
            .getJobHistory(GetJobHistoryRequest.newBuilder().setJob("training").build());

    assertThat(history.getJobName()).isEqualTo("training");
    assertThat(history.getAgeSeconds()).isEqualTo(3);
    assertThat(history.getRowsPerSecondList()).startsWith(50f, 50f).doesNotContain(0f);
    assertThat(history.getElementsPerSecondList()).endsWith(50f).startsWith(-1f);
    assertThat(history.getWaitShareList()).endsWith(0.5f);
    assertThat(history.getStages(0).getBusyList()).last(FLOAT).isCloseTo(0.6f, within(0.001f));
    assertThat(history.getReadersList()).hasSize(1);
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
  }

  @Test
  void job_isFoundByItsId_andByNothingElse() {
    join();
    long id = statistics("training").getJobId();

    assertThat(statistics(Long.toString(id)).getJobName()).isEqualTo("training");
    assertFails(StatusCode.NOT_FOUND, () -> statistics("trainings"));
    assertFails(StatusCode.NOT_FOUND, () -> statistics(""));
    assertFails(StatusCode.NOT_FOUND, () -> statistics("9".repeat(30)));
  }

  @Test
  void taskThatEnds_isForgotten() {
    long client = join();
    dispatcher.advance(Duration.ofSeconds(4));
    long task = peers.task(client, "w:1");
    report(task, 4, 0.6);

    dispatcher.finish("w:1", task);
    report(task, 6, 0.6);

    assertThat(statistics("training").getStagesList()).isEmpty();
    assertThat(statistics("training").getTasksList()).hasSize(1);
  }

  @Test
  void noWorker_isNamedAtOnce() {
    dispatcher.iterate(dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);

    assertThat(statistics("training").getVerdict().getCode()).isEqualTo("no_worker");
  }

  @Test
  void consumersThatReadInStep_waitForTheirGroup_untilItIsWhole() {
    peers.start("w:1");
    GetOrCreateJobRequest two =
        TestDispatcher.job(dispatcher.register("RangeDataset")).toBuilder()
            .setJobName("in step")
            .setNumConsumers(2)
            .build();
    long job = dispatcher.stub().getOrCreateJob(two).getJobId();
    dispatcher.iterate(job, 1);

    assertThat(statistics("in step").getVerdict().getCode()).isEqualTo("group");
    assertThat(statistics("in step").getVerdict().getText()).startsWith("1 of the 2 readers");

    dispatcher.iterate(job, 1);
    assertThat(statistics("in step").getVerdict().getCode()).isNotEqualTo("group");
  }

  /** A stock worker's heartbeat, in which an element of its task takes {@code seconds}. */
  private void tell(String worker, long task, double seconds) {
    var _ =
        dispatcher
            .stub()
            .workerHeartbeat(
                TestDispatcher.report(worker, task).toBuilder()
                    .addActiveTasks(
                        ActiveTask.newBuilder()
                            .setTaskId(task)
                            .setProcessingTimeNsec(seconds * 1e9))
                    .build());
  }

  /** A stock reader's heartbeat, which has {@code seconds} for an element. */
  private void want(long client, double seconds) {
    var _ =
        dispatcher
            .stub()
            .clientHeartbeat(
                ClientHeartbeatRequest.newBuilder()
                    .setIterationClientId(client)
                    .setTargetProcessingTimeNsec(seconds * 1e9)
                    .build());
  }

  private GetStatusResponse status() {
    return dispatcher.admin().getStatus(GetStatusRequest.getDefaultInstance());
  }

  @Test
  void workersThatReadersCanUse_areEstimatedFromTheTimesThatBothTell() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "training");
    long first = dispatcher.iterate(job, 1);
    long second = dispatcher.iterate(job, 1);
    long task = peers.task(first, "w:1");

    want(first, 0.01);
    assertThat(statistics("training").hasOptimalWorkers()).isFalse();
    assertThat(status().getDispatcher().hasOptimalWorkers()).isFalse();

    tell("w:1", task, 0.1);
    tell("w:2", task, 1e-9); // not its task
    tell("w:2", peers.task(first, "w:2"), 0); // as stock does where it can't tell
    want(second, -1);

    JobStatistics statistics = statistics("training");
    assertThat(statistics.getOptimalWorkers()).isEqualTo(10);
    assertThat(statistics.getTasksWithoutTimes()).isEqualTo(1);
    assertThat(statistics.getReadersWithoutTimes()).isEqualTo(1);
    assertThat(status().getDispatcher().getOptimalWorkers()).isEqualTo(2 * 4);

    tell("w:2", peers.task(first, "w:2"), 0.1);
    want(second, 0.01);
    assertThat(statistics("training").getOptimalWorkers()).isEqualTo(20);
    assertThat(statistics("training").getTasksWithoutTimes()).isZero();

    dispatcher.release(second);
    assertThat(statistics("training").getOptimalWorkers()).isEqualTo(10);
    dispatcher.finish("w:1", task);
    dispatcher.finish("w:2", peers.task(first, "w:2"));
    assertThat(statistics("training").hasOptimalWorkers()).isFalse();
  }

  @Test
  void timesOfOurReaders_areWhatTheirWaitsLeave() {
    dispatcher.startWorker("w:1");
    long client =
        dispatcher.iterate(
            dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);
    read(client, 0, 0);
    dispatcher.advance(Duration.ofSeconds(2));
    read(client, 100, 1000); // 50 elements in a second of its own
    assertThat(statistics("training").getReadersWithoutTimes()).isZero();

    tell("w:1", peers.task(client, "w:1"), 0.1);

    assertThat(statistics("training").getOptimalWorkers()).isEqualTo(10);
  }

  @Test
  void stockPeers_areUnknown() {
    dispatcher.startWorker("w:1");
    long client =
        dispatcher.iterate(
            dispatcher.createJob(dispatcher.register("RangeDataset"), "training"), 1);
    var _ = dispatcher.clientHeartbeat(client);

    assertThat(statistics("training").getVerdict().getCode()).isEqualTo("unknown");
    assertThat(statistics("training").getReaders(0).getKind()).isEqualTo(PeerKind.STOCK);
  }
}

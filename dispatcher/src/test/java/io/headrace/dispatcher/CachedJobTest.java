package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs whose elements several trainers read through the cross-trainer caches of workers. */
final class CachedJobTest {
  private TestDispatcher dispatcher =
      new TestDispatcher(
          DispatcherConfig.builder().stockGuarantee(Guarantee.AT_LEAST_ONCE).build());

  private TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void tasks_knowThatTheirJobIsCached() {
    FakeWorkerNetwork.Node worker = dispatcher.startWorker("w:1");
    var _ = read(job(ShardingPolicy.OFF));

    assertThat(worker.tasks().values())
        .extracting(TaskDef::getUseCrossTrainerCache)
        .containsExactly(true);
  }

  @Test
  void name_ofACachedJob_isNotForReadersWithoutTheCache() {
    GetOrCreateJobRequest.Builder job = job(ShardingPolicy.OFF);
    create(job);

    assertFails(StatusCode.INVALID_ARGUMENT, () -> create(job.setUseCrossTrainerCache(false)))
        .hasMessageContaining("Existing cross-trainer cache: <enabled>; got <disabled>.");
  }

  @Test
  void name_ofAnotherJob_isNotForReadersThroughTheCache() {
    GetOrCreateJobRequest.Builder job = job(ShardingPolicy.OFF);
    create(job.setUseCrossTrainerCache(false));

    assertFails(StatusCode.INVALID_ARGUMENT, () -> create(job.setUseCrossTrainerCache(true)))
        .hasMessageContaining("Existing cross-trainer cache: <disabled>; got <enabled>.");
  }

  @Test
  void jobWithoutAName_isRefused() {
    assertFails(StatusCode.INVALID_ARGUMENT, () -> create(job(ShardingPolicy.OFF).clearJobName()))
        .hasMessageContaining("Cross-trainer caching requires named jobs.");
  }

  @Test
  void consumersInStep_areRefused() {
    assertFails(
            StatusCode.INVALID_ARGUMENT, () -> create(job(ShardingPolicy.OFF).setNumConsumers(2)))
        .hasMessageContaining("Cross-trainer caching does not support coordinated reads.");
  }

  @Test
  void stockJob_isReadAtMostOnce_andAnnouncesNothing_whateverStockJobsHave() {
    peers.start("w:1");
    long client = read(job(ShardingPolicy.DYNAMIC));

    DescribeTaskResponse task = peers.describe(peers.task(client, "w:1"));
    assertThat(task.getAnnouncesDeliveries()).isFalse();
    assertThat(task.getReportsDeliveries()).isFalse();
    assertThat(task.getTracksOrigins()).isFalse();
    assertThat(task.getMaxAheadMs()).isZero();
  }

  @Test
  void javaJob_isReadAtMostOnce_andSaysWhy() {
    for (ShardingPolicy policy : List.of(ShardingPolicy.OFF, ShardingPolicy.DYNAMIC)) {
      JoinIterationResponse joined = peers.join(join(job(policy).setJobName(policy.name())));

      assertThat(joined.getGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
      assertThat(joined.getReason()).contains("cross-trainer cache");
      assertThat(joined.getCopyTaskIdsList()).isEmpty();
    }
  }

  @Test
  void strongerGuarantee_isRefused() {
    for (Guarantee wanted : List.of(Guarantee.EXACTLY_ONCE, Guarantee.AT_LEAST_ONCE)) {
      assertFails(
              StatusCode.FAILED_PRECONDITION,
              () -> peers.join(join(job(ShardingPolicy.DYNAMIC)).setGuarantee(wanted)))
          .hasMessageContaining("cross-trainer cache");
    }
  }

  @Test
  void token_isRefused() {
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> peers.join(join(job(ShardingPolicy.OFF)).setCopies(1)))
        .hasMessageContaining("can't resume from a checkpoint");
  }

  @Test
  void job_isCachedStill_afterARestart_alsoFromACompactedJournal() {
    create(job(ShardingPolicy.OFF));
    restart(dispatcher.memory().reopen());
    requireCached();
    restart(compacted());
    requireCached();
  }

  /** A journal that has the dispatcher's state alone. */
  private InMemoryJournal compacted() {
    InMemoryJournal journal = new InMemoryJournal();
    var _ =
        journal.compact(dispatcher.snapshot().stream().map(JournalRecord::toByteArray).toList());
    return journal.reopen();
  }

  private void requireCached() {
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> create(job(ShardingPolicy.OFF).setUseCrossTrainerCache(false)))
        .hasMessageContaining("Existing cross-trainer cache: <enabled>; got <disabled>.");
  }

  private void restart(InMemoryJournal journal) {
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), journal);
    peers = new TestPeers(dispatcher);
  }

  private long read(GetOrCreateJobRequest.Builder job) {
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job.build()).getJobId(), 1);
  }

  private void create(GetOrCreateJobRequest.Builder job) {
    var _ = dispatcher.stub().getOrCreateJob(job.build());
  }

  private static JoinIterationRequest.Builder join(GetOrCreateJobRequest.Builder job) {
    return JoinIterationRequest.newBuilder().setJob(job).setRepetition(1);
  }

  private GetOrCreateJobRequest.Builder job(ShardingPolicy policy) {
    return TestDispatcher.job(dispatcher.register(Dataset.range(10).repeat(-1))).toBuilder()
        .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy))
        .setJobName("cached")
        .setUseCrossTrainerCache(true);
  }
}

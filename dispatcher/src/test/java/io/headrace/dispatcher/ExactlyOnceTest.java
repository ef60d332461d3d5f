package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.headrace.GetJobHistoryRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JobEvent;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RangeEncoding;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Iterations that are read exactly once: joins, settlements and remainders. */
final class ExactlyOnceTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void join_ofACountedDataset_isExactlyOnce_andItsTasksAreTracked() {
    peers.start("w:1");

    JoinIterationResponse joined = peers.join(peers.request(Dataset.range(10)));

    assertThat(joined.getGuarantee()).isEqualTo(Guarantee.EXACTLY_ONCE);
    assertThat(joined.getReason()).isEmpty();
    assertThat(joined.getSourcesFingerprint()).isNotZero();
    assertThat(peers.describe(peers.task(joined.getIterationClientId(), "w:1")).getTracksOrigins())
        .isTrue();
    assertFails(StatusCode.NOT_FOUND, () -> peers.describe(77).getTracksOrigins());
  }

  @Test
  void lostTask_isSettled_andItsRemainderIsATask() {
    peers.start("w:1");
    peers.start("w:2");
    JoinIterationResponse joined = peers.join(peers.request(Dataset.range(80)));
    long client = joined.getIterationClientId();
    TestDispatcher.Watch watch = dispatcher.watch(client);
    long lost = peers.task(joined.getIterationClientId(), "w:1");
    long other = peers.task(joined.getIterationClientId(), "w:2");
    assertThat(peers.take(lost, 4).getFirstSplit()).isZero();
    assertThat(peers.take(other, 4).getFirstSplit()).isEqualTo(4);

    peers.lose("w:1");

    WatchIterationResponse told = watch.last();
    assertThat(told.getSettlementsList()).hasSize(1);
    assertThat(told.getSettlements(0).getLostTaskId()).isEqualTo(lost);
    assertThat(told.getSettlements(0).getSettlementId()).isEqualTo(lost);
    assertThat(told.getSettlements(0).getSplitsList())
        .singleElement()
        .satisfies(
            splits -> assertThat(RangeEncoding.read(splits.getRangesList())).isEqualTo(set(0, 4)));
    assertFails(StatusCode.NOT_FOUND, () -> peers.take(lost, 4));

    RecordSet received = new RecordSet();
    received.add(0, Origins.SPLITS, 1, 2);
    peers.answer(client, lost, received);

    assertThat(watch.last().getSettlementsList()).isEmpty();
    long remainder =
        watch.last().getTaskInfoList().stream()
            .filter(task -> task.getTaskId() != other)
            .findFirst()
            .orElseThrow()
            .getTaskId();
    TakeSplitsResponse first = peers.take(remainder, 100);
    TakeSplitsResponse second = peers.take(remainder, 100);
    TakeSplitsResponse end = peers.take(remainder, 100);
    assertThat(first.getFirstSplit()).isZero();
    assertThat(first.getNumSplits()).isEqualTo(1);
    assertThat(second.getFirst()).isEqualTo(3);
    assertThat(end.getEndOfSplits()).isTrue();
    assertThat(end.getEndOfTask()).isTrue();

    dispatcher.finish("w:2", remainder);
    assertThat(watch.last().getIterationFinished()).isFalse();
    dispatcher.finish("w:2", other);
    assertThat(watch.last().getIterationFinished()).isTrue();

    long job =
        dispatcher.admin().getStatus(GetStatusRequest.getDefaultInstance()).getJobs(0).getId();
    assertThat(
            dispatcher
                .admin()
                .getJobHistory(GetJobHistoryRequest.newBuilder().setJob(Long.toString(job)).build())
                .getEventsList())
        .extracting(JobEvent::getText)
        .satisfiesExactly(
            text -> assertThat(text).contains("ended with its worker w:1"),
            text -> assertThat(text).contains("begins: a reader is to tell"),
            text -> assertThat(text).endsWith("what is left of 2 splits is made again"));
  }

  @Test
  void incompleteTask_isSettled_asIfItsWorkerWereLost() {
    peers.start("w:1");
    JoinIterationResponse joined = peers.join(peers.request(Dataset.range(80)));
    long client = joined.getIterationClientId();
    TestDispatcher.Watch watch = dispatcher.watch(client);
    long task = peers.task(joined.getIterationClientId(), "w:1");
    long taken = peers.take(task, 80).getNumSplits();

    dispatcher.finishIncomplete("w:1", task);

    assertThat(watch.last().getSettlementsList()).hasSize(1);
    assertThat(watch.last().getLostTasks(0).getReason()).isEqualTo(LossReason.READER_GONE);
    RecordSet received = new RecordSet();
    received.add(0, Origins.SPLITS, 0, taken - 1);
    peers.answer(client, task, received);
    assertThat(watch.last().getSettlementsList()).isEmpty();
    assertThat(watch.last().getIterationFinished()).isFalse();
  }

  private static LongSet set(long from, long to) {
    LongSet set = new LongSet();
    set.addRange(from, to);
    return set;
  }
}

package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Iterations that are read at least once: the jobs that have the guarantee, and the recovery of
 * lost work.
 */
final class AtLeastOnceTest {
  private TestDispatcher dispatcher =
      new TestDispatcher(
          DispatcherConfig.builder().stockGuarantee(Guarantee.AT_LEAST_ONCE).build());

  private TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private JoinIterationResponse join(Dataset dataset) {
    return peers.join(peers.request(dataset).setGuarantee(Guarantee.AT_LEAST_ONCE));
  }

  private static Dataset twiceFlat() {
    return Dataset.range(9).flatMap(x -> Dataset.range(2)).flatMap(x -> Dataset.range(2));
  }

  private void restart() {
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen());
    dispatcher.network().start("w:2");
    peers = new TestPeers(dispatcher);
  }

  /** The client's only task other than {@code other}. */
  private long remainder(long client, long other) {
    return peers.tasks(client).stream()
        .mapToLong(task -> task.getTaskId())
        .filter(id -> id != other)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void lostTask_undeliveredRecordsAreMadeAgain_withoutASettlement() {
    peers.start("w:1");
    peers.start("w:2");
    long client = join(Dataset.range(80)).getIterationClientId();
    long lost = peers.task(client, "w:1");
    long other = peers.task(client, "w:2");
    TestDispatcher.Watch watch = dispatcher.watch(client);
    assertThat(peers.describe(lost).getTracksOrigins()).isFalse();
    assertThat(peers.describe(lost).getReportsDeliveries()).isTrue();
    assertThat(peers.take(lost, 6).getNumSplits()).isEqualTo(6);
    assertThat(peers.take(other, 1).getFirstSplit()).isEqualTo(6);
    peers.deliver(lost, TestPeers.splits(0, 2));
    peers.deliver(lost, TestPeers.splits(1, 2));

    peers.lose("w:1");

    assertThat(watch.last().getSettlementsList()).isEmpty();
    assertThat(watch.last().getLostTasksList()).hasSize(1);
    assertFails(StatusCode.NOT_FOUND, () -> peers.deliver(lost, TestPeers.splits(5, 1)));
    long again = remainder(client, other);
    TakeSplitsResponse splits = peers.take(again, 100);
    assertThat(splits.getFirstSplit()).isEqualTo(3);
    assertThat(splits.getNumSplits()).isEqualTo(3);
    assertThat(peers.take(again, 100).getEndOfTask()).isTrue();
    dispatcher.finish("w:2", other);
    assertThat(watch.last().getIterationFinished()).isFalse();
    dispatcher.finish("w:2", again);
    assertThat(watch.last().getIterationFinished()).isTrue();
  }

  @Test
  void lostRemainder_isMadeAgain_withoutDeliveredRecords_afterARestart() {
    peers.start("w:1");
    peers.start("w:2");
    long client = join(Dataset.range(80)).getIterationClientId();
    long lost = peers.task(client, "w:1");
    long other = peers.task(client, "w:2");
    var _ = peers.take(lost, 6);
    peers.deliver(lost, TestPeers.splits(0, 2));
    peers.lose("w:1");
    long again = remainder(client, other);
    var _ = peers.take(again, 100);
    peers.deliver(again, TestPeers.splits(4, 1));

    restart();
    peers.lose("w:2");
    peers.start("w:3");

    dispatcher.advance(Duration.ofSeconds(5));
    long last =
        peers.tasks(client).stream()
            .filter(task -> task.getWorkerAddress().equals("w:3"))
            .mapToLong(task -> task.getTaskId())
            .filter(task -> peers.take(task, 100).getFirstSplit() == 2)
            .findFirst()
            .orElseThrow();
    assertThat(peers.take(last, 100).getFirstSplit()).isEqualTo(5);
    assertThat(peers.take(last, 100).getEndOfTask()).isTrue();
  }

  @Test
  void partlyDeliveredGroup_isMadeAgain_withoutItsDeliveredRecords() {
    peers.start("w:1");
    peers.start("w:2");
    long client = join(Dataset.range(40).flatMap(x -> Dataset.range(x))).getIterationClientId();
    long lost = peers.task(client, "w:1");
    var _ = peers.take(lost, 2);
    RecordSet some = new RecordSet();
    some.end(0, 0, 0);
    some.add(0, 1, 0, 1);
    peers.deliver(lost, some);

    peers.lose("w:1");

    TakeSplitsResponse splits = peers.take(remainder(client, peers.task(client, "w:2")), 100);
    assertThat(splits.getFirstSplit()).isEqualTo(1);
    assertThat(splits.getReceivedList())
        .singleElement()
        .satisfies(of -> {
          assertThat(of.getGroup()).isEqualTo(1);
          assertThat(of.getRangesList()).containsExactly(0L, 1L);
        });
  }

  @Test
  void invalidDeliveries_areRefused_andChangeNothing() {
    peers.start("w:1");
    long client = join(Dataset.range(80)).getIterationClientId();
    long task = peers.task(client, "w:1");
    var _ = peers.take(task, 3);
    List<JournalRecord> before = dispatcher.snapshot();

    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.deliver(task, TestPeers.splits(2, 2)))
        .hasMessageContaining("the splits {3} of source 0");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.deliver(task, TestPeers.splits(79, 2)));
    RecordSet groups = new RecordSet();
    groups.add(0, 1, 0, 1);
    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.deliver(task, groups));
    assertFails(StatusCode.NOT_FOUND, () -> peers.deliver(77, TestPeers.splits(0, 1)));
    assertFails(
        StatusCode.FAILED_PRECONDITION,
        () -> peers.report(ReportReceiptsRequest.newBuilder().setIterationClientId(client)));

    assertThat(dispatcher.snapshot()).isEqualTo(before);
  }

  @Test
  void deliveriesThatWereReportedBefore_journalNothing() {
    peers.start("w:1");
    long task = peers.task(join(Dataset.range(80)).getIterationClientId(), "w:1");
    var _ = peers.take(task, 8);
    peers.deliver(task, TestPeers.splits(2, 4));
    long before = numJournaled();

    for (int i = 0; i < 60; i++) {
      peers.deliver(task, TestPeers.splits(2, 3));
    }

    assertThat(numJournaled()).isEqualTo(before);
    peers.deliver(task, TestPeers.splits(5, 2));
    assertThat(numJournaled()).isGreaterThan(before);
  }

  private long numJournaled() {
    List<byte[]> records = new ArrayList<>();
    dispatcher.memory().replay(records::add);
    return records.size();
  }

  @Test
  void unset_isTheStrongestThatTheDatasetCanHave() {
    peers.start("w:1");

    JoinIterationResponse flat = peers.join(peers.request(twiceFlat()));
    JoinIterationResponse cut = peers.join(peers.request(twiceFlat().take(3)));

    assertThat(flat.getGuarantee()).isEqualTo(Guarantee.AT_LEAST_ONCE);
    assertThat(flat.getReason()).startsWith("FlatMapDataset: ");
    assertThat(cut.getGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
    assertThat(cut.getReason()).startsWith("TakeDataset: ");
  }

  @Test
  void explicit_thatCantBeHad_isRefused() {
    peers.start("w:1");
    Dataset zipped = Dataset.zip(Dataset.range(3), Dataset.range(3));

    assertFails(StatusCode.FAILED_PRECONDITION, () -> join(zipped))
        .hasMessageContaining("the job can't be read at least once: ZipDataset: ")
        .hasMessageContaining("Put this transformation behind distribute, where the reader runs it")
        .hasMessageEndingWith("or ask for AT_MOST_ONCE");
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                peers.join(
                    peers
                        .request(Dataset.range(3))
                        .setJob(peers.job(Dataset.range(3), ShardingPolicy.OFF))
                        .setGuarantee(Guarantee.AT_LEAST_ONCE)))
        .hasMessageContaining("without sharding (OFF)");
  }

  @Test
  void onlyStockWorkers_canNotMakeItAgain() {
    var _ = dispatcher.startWorker("w:1");

    assertFails(StatusCode.FAILED_PRECONDITION, () -> join(Dataset.range(3)))
        .hasMessageContaining("w:1");
  }

  @Test
  void readerWithoutReceipts_hasItAtLeastOnce_andJoinsNoJobThatIsReadExactlyOnce() {
    peers.start("w:1");
    Dataset range = Dataset.range(10);

    JoinIterationResponse own = peers.join(peers.request(range).setSendsNoReceipts(true));

    assertThat(own.getGuarantee()).isEqualTo(Guarantee.AT_LEAST_ONCE);
    assertThat(own.getReason()).contains("unary calls");
    assertThat(peers.join(peers.request(range, "shared")).getGuarantee())
        .isEqualTo(Guarantee.EXACTLY_ONCE);
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> peers.join(peers.request(range, "shared").setSendsNoReceipts(true)))
        .hasMessageContaining("job shared is read exactly once");
  }

  @Test
  void stockClient_hasIt_whereTheDispatcherIsToldSo() {
    peers.start("w:1");
    long client = stockClient(Dataset.range(10));
    long task = peers.task(client, "w:1");

    assertThat(peers.describe(task).getReportsDeliveries()).isTrue();
    assertThat(peers.take(task, 1).getNumSplits()).isEqualTo(1);
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                dispatcher
                    .stub()
                    .getSplit(GetSplitRequest.newBuilder().setIterationId(2000).build()))
        .hasMessageContaining("AT_LEAST_ONCE");
    var _ = dispatcher.startWorker("w:2");
    assertThat(peers.tasks(client)).hasSize(1);
  }

  @Test
  void stockClient_ofADatasetThatCantHaveIt_hasItAtMostOnce() {
    peers.start("w:1");
    long client = stockClient(Dataset.range(10).take(3));

    assertThat(peers.describe(peers.task(client, "w:1")).getReportsDeliveries()).isFalse();
  }

  private long stockClient(Dataset dataset) {
    long job =
        dispatcher
            .stub()
            .getOrCreateJob(peers.job(dataset, ShardingPolicy.DYNAMIC).build())
            .getJobId();
    return dispatcher
        .stub()
        .getOrCreateIteration(
            GetOrCreateIterationRequest.newBuilder().setJobId(job).setRepetition(1).build())
        .getIterationClientId();
  }
}

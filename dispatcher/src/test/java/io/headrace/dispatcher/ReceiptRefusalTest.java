package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.headrace.GroupRecords;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.proto.headrace.SourceRecords;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that an iteration with exactly once refuses, and the settlement at its end. */
final class ReceiptRefusalTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @BeforeEach
  void startWorker() {
    peers.start("w:1");
  }

  @AfterEach
  void close() {
    dispatcher.close();
  }

  // Tokens.

  @Test
  void token_ofTheSameSources_isGoneOnFrom() {
    JoinIterationResponse first = peers.join(peers.request(Dataset.range(80)));

    JoinIterationResponse resumed =
        peers.join(
            peers
                .request(Dataset.range(80))
                .setSourcesFingerprint(first.getSourcesFingerprint())
                .setTaken(TestPeers.splits(0, 5).toProto()));

    long task = peers.task(resumed.getIterationClientId(), "w:1");
    assertThat(peers.take(task, 1).getFirstSplit()).isEqualTo(5);
  }

  @Test
  void token_ofAnotherDataset_isRefused() {
    JoinIterationResponse first = peers.join(peers.request(Dataset.range(80)));
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                peers.join(
                    peers
                        .request(Dataset.range(81), "other")
                        .setSourcesFingerprint(first.getSourcesFingerprint())
                        .setTaken(TestPeers.splits(0, 5).toProto())))
        .hasMessageContaining("belongs to another dataset")
        .hasMessageContaining("and so do its sources");

    // The dataset was registered before; no job was created.
    assertThat(dispatcher.snapshot().stream().filter(JournalRecord::hasJobCreated)).hasSize(1);
  }

  @Test
  void token_ofAnotherDatasetOfTheSameSources_isRefused_alsoByARunningIteration() {
    long print = peers.join(peers.request(Dataset.range(80).batch(4))).getSourcesFingerprint();
    Dataset other = Dataset.range(80).batch(5);
    RecordSetProto taken = TestPeers.splits(0, 5).toProto();
    peers.join(peers.request(other, "running"));

    for (String job : List.of("new", "running")) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () ->
                  peers.join(
                      peers.request(other, job).setSourcesFingerprint(print).setTaken(taken)))
          .hasMessageContaining("belongs to another dataset")
          .hasMessageNotContaining("and so do its sources");
    }
  }

  @Test
  void token_withUnknownRecords_isRefused() {
    long print = peers.join(peers.request(Dataset.range(80))).getSourcesFingerprint();

    for (RecordSetProto wrong :
        new RecordSetProto[] {TestPeers.splits(79, 2).toProto(), overlapping(), aGroup()}) {
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          () ->
              peers.join(
                  peers.request(Dataset.range(80)).setSourcesFingerprint(print).setTaken(wrong)));
    }
  }

  @Test
  void token_ofAJobThatIsNotReadExactlyOnce_isRefused() {
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                peers.join(
                    peers
                        .request(Dataset.range(80))
                        .setGuarantee(Guarantee.AT_MOST_ONCE)
                        .setTaken(TestPeers.splits(0, 5).toProto())))
        .hasMessageContaining("only a job that is read exactly once can resume from a checkpoint");
  }

  @Test
  void token_thatComesToAnIterationThatBeganWithoutIt_isRefused() {
    Dataset range = Dataset.range(80);
    long print = peers.join(peers.request(range, "shared")).getSourcesFingerprint();

    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                peers.join(
                    peers
                        .request(range, "shared")
                        .setSourcesFingerprint(print)
                        .setTaken(TestPeers.splits(0, 5).toProto())))
        .hasMessageContaining("none of its readers is one of the checkpoint's");
  }

  // Receipts.

  @Test
  void invalidReceipts_areRefused_andChangeNothing() {
    long client = peers.join(peers.request(Dataset.range(80), "shared")).getIterationClientId();
    var _ = peers.take(peers.task(client, "w:1"), 4);
    List<JournalRecord> before = dispatcher.snapshot();

    for (RecordSetProto wrong :
        new RecordSetProto[] {
          overlapping(),
          aGroup(),
          TestPeers.splits(79, 2).toProto(),
          TestPeers.splits(3, 2).toProto()
        }) {
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          () ->
              peers.report(
                  ReportReceiptsRequest.newBuilder().setIterationClientId(client).setTaken(wrong)));
    }
    assertThat(dispatcher.snapshot()).isEqualTo(before);

    peers.taken(client, TestPeers.splits(0, 4));
    assertThat(dispatcher.snapshot()).hasSameSizeAs(before).isNotEqualTo(before);
  }

  @Test
  void invalidAnswers_areRefused_andChangeNothing() {
    long client = peers.join(peers.request(Dataset.range(80), "shared")).getIterationClientId();
    long task = peers.task(client, "w:1");
    var _ = peers.take(task, 4);
    dispatcher.finishIncomplete("w:1", task);
    JoinIterationResponse other = peers.join(peers.request(Dataset.range(7)));
    List<JournalRecord> before = dispatcher.snapshot();

    assertFails(
            StatusCode.INVALID_ARGUMENT, () -> peers.answer(client, task, TestPeers.splits(2, 3)))
        .hasMessageContaining("the answer to settlement " + task);
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> peers.answer(other.getIterationClientId(), task, new RecordSet()))
        .hasMessageContaining("has no settlement");
    assertFails(
        StatusCode.INVALID_ARGUMENT, () -> peers.answer(client, task + 900, new RecordSet()));
    // An error in one part voids the whole report.
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        () ->
            peers.report(
                ReportReceiptsRequest.newBuilder()
                    .setIterationClientId(client)
                    .setTaken(TestPeers.splits(0, 1).toProto())
                    .addAnswers(
                        SettlementAnswer.newBuilder()
                            .setSettlementId(task)
                            .setReceived(overlapping()))));

    assertThat(dispatcher.snapshot()).isEqualTo(before);
  }

  // Participants.

  @Test
  void readerWithAnotherGuarantee_isRefused_andOneWithoutJoins() {
    Dataset range = Dataset.range(80);
    var _ = peers.join(peers.request(range, "shared"));

    for (Guarantee other : new Guarantee[] {Guarantee.AT_MOST_ONCE, Guarantee.AT_LEAST_ONCE}) {
      assertFails(
              StatusCode.FAILED_PRECONDITION,
              () -> peers.join(peers.request(range, "shared").setGuarantee(other)))
          .hasMessageContaining("job shared exists with the guarantee EXACTLY_ONCE");
    }

    assertThat(peers.join(peers.request(range, "shared")).getGuarantee())
        .isEqualTo(Guarantee.EXACTLY_ONCE);
  }

  @Test
  void stockClientAndWorker_haveNoPartInIt() {
    Dataset range = Dataset.range(80);
    long client = peers.join(peers.request(range, "shared")).getIterationClientId();

    long job = dispatcher.stub().getOrCreateJob(peers.request(range, "shared").getJob()).getJobId();
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () ->
                dispatcher
                    .stub()
                    .getOrCreateIteration(
                        GetOrCreateIterationRequest.newBuilder()
                            .setJobId(job)
                            .setRepetition(1)
                            .build()))
        .hasMessageContaining("this client speaks TensorFlow's protocol alone");

    var _ = dispatcher.startWorker("stock:1");
    assertThat(peers.tasks(client)).hasSize(1);
    assertFails(
        StatusCode.FAILED_PRECONDITION,
        () ->
            dispatcher.stub().getSplit(GetSplitRequest.newBuilder().setIterationId(2000).build()));
  }

  // The end of a pass with several readers.

  @Test
  void finalSettlement_asksAllReaders_andRecoversWhatADepartedReaderHadNotTaken() {
    Dataset range = Dataset.range(80);
    long one = peers.join(peers.request(range, "shared")).getIterationClientId();
    long two = peers.join(peers.request(range, "shared")).getIterationClientId();
    TestDispatcher.Watch watch = dispatcher.watch(one);
    long task = peers.task(one, "w:1");
    long taken = 0;
    while (taken < 80) {
      taken += peers.take(task, 80).getNumSplits();
    }
    peers.taken(two, TestPeers.splits(40, 10));
    dispatcher.release(two);

    dispatcher.finish("w:1", task);

    assertThat(watch.last().getIterationFinished()).isFalse();
    assertThat(watch.last().getSettlementsList())
        .singleElement()
        .satisfies(last -> assertThat(last.getLostTaskId()).isZero());
    peers.answer(one, watch.last().getSettlements(0).getSettlementId(), TestPeers.splits(0, 40));
    long again =
        peers.tasks(one).stream()
            .mapToLong(info -> info.getTaskId())
            .filter(id -> id != task)
            .findFirst()
            .orElseThrow();
    assertThat(peers.take(again, 100).getFirstSplit()).isEqualTo(50);
    dispatcher.finish("w:1", again);
    assertThat(watch.last().getIterationFinished()).isTrue();
  }

  /** Two overlapping ranges of records. */
  private static RecordSetProto overlapping() {
    return RecordSetProto.newBuilder()
        .addSources(
            SourceRecords.newBuilder()
                .addGroups(GroupRecords.newBuilder().setGroup(-1).addRanges(0).addRanges(2))
                .addGroups(GroupRecords.newBuilder().setGroup(-1).addRanges(1).addRanges(2)))
        .build();
  }

  /** A record of a group, although the splits are records. */
  private static RecordSetProto aGroup() {
    RecordSet records = new RecordSet();
    records.add(0, 1, 0, 1);
    return records.toProto();
  }
}

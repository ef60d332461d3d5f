package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs of stock clients, whose workers announce rows before they deliver them. */
final class AnnouncedDeliveriesTest {
  private static final Dataset NUMBERS = Dataset.range(100);

  private TestDispatcher dispatcher = new TestDispatcher();
  private TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  /** A stock client joins the first pass of a new job. */
  private long read(Dataset dataset) {
    GetOrCreateJobRequest job = peers.job(dataset, ShardingPolicy.DYNAMIC).build();
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job).getJobId(), 1);
  }

  private static RecordSet splits(long from, long count) {
    return TestPeers.splits(from, count);
  }

  private DispatcherState replay() {
    DispatcherState state = new DispatcherState();
    dispatcher.snapshot().forEach(state::apply);
    return state;
  }

  private SplitAccounts accounts() {
    return replay().iterations().find(2000).orElseThrow().accounts().orElseThrow();
  }

  @Test
  void jobOfAStockClient_isAnnounced_andOtherJobsAreNot() {
    peers.start("w:1");
    long stock = peers.task(read(NUMBERS), "w:1");
    long asked =
        peers.task(
            peers
                .join(peers.request(NUMBERS).setGuarantee(Guarantee.AT_MOST_ONCE))
                .getIterationClientId(),
            "w:1");

    assertThat(peers.describe(stock).getAnnouncesDeliveries()).isTrue();
    assertThat(peers.describe(stock).getMaxAheadMs()).isEqualTo(50);
    assertThat(peers.describe(asked).getAnnouncesDeliveries()).isFalse();
    assertThat(peers.describe(asked).getMaxAheadMs()).isZero();
  }

  @Test
  void pipelineThatLosesTrackOfRecords_isBoundedOnly() {
    peers.start("w:1");
    long task = peers.task(read(NUMBERS.take(50)), "w:1");

    assertThat(peers.describe(task).getAnnouncesDeliveries()).isFalse();
    assertThat(peers.describe(task).getMaxAheadMs()).isEqualTo(50);
  }

  @Test
  void lostTask_isMadeAgain_exceptForWhatItAnnounced() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read(NUMBERS);
    long lost = peers.task(client, "w:1");
    TakeSplitsResponse taken = peers.take(lost, 10);
    assertThat(taken.getNumSplits()).isEqualTo(10);
    peers.announce(lost, 1, splits(0, 3), 3, 0);
    peers.announce(lost, 2, splits(3, 2), 5, 3);

    peers.lose("w:1");

    long remainder =
        peers.tasks(client).stream()
            .mapToLong(task -> task.getTaskId())
            .filter(task -> task > peers.task(client, "w:2"))
            .findFirst()
            .orElseThrow();
    TakeSplitsResponse again = peers.take(remainder, 100);
    assertThat(again.getFirstSplit()).isEqualTo(5);
    assertThat(again.getNumSplits()).isEqualTo(5);
    assertThat(peers.take(remainder, 100).getEndOfTask()).isTrue();
    assertThat(dispatcher.statistics().numRowsLost()).isEqualTo(2);
    assertThat(dispatcher.statistics().recentlyLost().getFirst().rows()).hasValue(2);
    assertThat(replay().snapshot()).isEqualTo(dispatcher.snapshot());
  }

  @Test
  void lostTask_isMadeAgain_alsoWhenTheDispatcherRestartsBetween() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read(NUMBERS);
    long lost = peers.task(client, "w:1");
    var _ = peers.take(lost, 10);
    peers.announce(lost, 1, splits(0, 4), 4, 0);
    InMemoryJournal journal = dispatcher.memory().reopen();
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), journal);
    peers = new TestPeers(dispatcher);

    dispatcher.advance(Duration.ofSeconds(10));

    assertThat(dispatcher.statistics().recentlyLost())
        .anySatisfy(task -> {
          assertThat(task.taskId()).isEqualTo(lost);
          assertThat(task.rows()).hasValue(4);
        });
  }

  @Test
  void lostTask_mayAnnounceNoMore() {
    peers.start("w:1");
    peers.start("w:2");
    long lost = peers.task(read(NUMBERS), "w:1");
    var _ = peers.take(lost, 10);

    peers.lose("w:1");

    assertFails(StatusCode.NOT_FOUND, () -> peers.announce(lost, 1, splits(0, 1), 1, 0));
  }

  @Test
  void repeatedAnnouncement_changesNothing() {
    peers.start("w:1");
    long task = peers.task(read(NUMBERS), "w:1");
    var _ = peers.take(task, 10);
    peers.announce(task, 1, splits(0, 3), 3, 0);
    var before = dispatcher.snapshot();

    peers.announce(task, 1, splits(0, 3), 3, 0);

    assertThat(dispatcher.snapshot()).isEqualTo(before);
  }

  @Test
  void announcementThatDoesNotFollow_isRefused() {
    peers.start("w:1");
    long task = peers.task(read(NUMBERS), "w:1");
    var _ = peers.take(task, 10);
    peers.announce(task, 1, splits(0, 3), 3, 1);

    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.announce(task, 3, splits(3, 1), 4, 1));
    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.announce(task, 2, splits(3, 1), 2, 1));
    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.announce(task, 2, splits(3, 1), 4, 5));
    assertFails(StatusCode.INVALID_ARGUMENT, () -> peers.announce(task, 2, splits(50, 1), 4, 1));
  }

  @Test
  void announcedSplits_leaveTheAccount() {
    peers.start("w:1");
    long task = peers.task(read(NUMBERS.repeat(1000)), "w:1");
    int bytes = 0;
    long number = 0;
    for (int repetition = 0; repetition < 20; repetition++) {
      long first = repetition * 100L;
      for (long at = 0; at < 100; ) {
        TakeSplitsResponse taken = peers.take(task, 100, repetition);
        RecordSet records = new RecordSet();
        records.add(repetition, -1, taken.getFirstSplit(), taken.getNumSplits());
        at = taken.getFirstSplit() + taken.getNumSplits();
        peers.announce(task, ++number, records, first + at, first + at);
      }
      assertThat(peers.take(task, 100, repetition).getEndOfSplits()).isTrue();
      int size = dispatcher.snapshot().stream().mapToInt(r -> r.getSerializedSize()).sum();
      if (repetition == 2) {
        bytes = size;
      } else if (repetition > 2) {
        assertThat(size).isLessThan(bytes + 64);
      }
      assertThat(accounts().scopeOf(task).bySource()).isEmpty();
      assertThat(accounts().deliveredBy(task).isEmpty()).isTrue();
    }
  }

  @Test
  void lastLiveWorkersAreStockOnes_theRemainderIsGivenUp() {
    peers.start("w:1");
    long client = read(NUMBERS);
    dispatcher.startWorker("stock:1");
    long lost = peers.task(client, "w:1");
    var _ = peers.take(lost, 10);
    TestDispatcher.Watch watch = dispatcher.watch(client);

    peers.lose("w:1");
    for (int i = 0; i < 91; i++) {
      var _ = dispatcher.stub().getSplit(GetSplitRequest.newBuilder().setIterationId(2000).build());
    }
    dispatcher.finish("stock:1", peers.task(client, "stock:1"));

    assertThat(watch.last().getIterationFinished()).isTrue();
  }

  @Test
  void noWorkerIsLeft_theRemainderWaitsForTheNext() {
    peers.start("w:1");
    long client = read(NUMBERS);
    var _ = peers.take(peers.task(client, "w:1"), 10);
    peers.lose("w:1");
    TestDispatcher.Watch watch = dispatcher.watch(client);
    assertThat(watch.last().getIterationFinished()).isFalse();

    peers.start("w:2");

    assertThat(peers.tasks(client).stream().filter(task -> task.getWorkerAddress().equals("w:2")))
        .hasSize(2);
  }
}

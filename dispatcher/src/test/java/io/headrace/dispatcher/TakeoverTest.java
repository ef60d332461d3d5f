package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two readers resume from their tokens, one after the other: in a finished pass, and in one that
 * the dispatcher has forgotten.
 */
final class TakeoverTest {
  private static final long FIRST = 7;
  private static final long SECOND = 8;
  private static final int N = 10;

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  private long fingerprint;
  private long client;

  @AfterEach
  void close() {
    dispatcher.close();
  }

  /** The first reader takes and reports splits 0 to 4; the second holds the others and leaves. */
  @BeforeEach
  void readToTheEnd() {
    peers.start("w:1");
    JoinIterationResponse joined = peers.join(request(FIRST));
    fingerprint = joined.getSourcesFingerprint();
    client = joined.getIterationClientId();
    long other = peers.join(request(SECOND)).getIterationClientId();
    TestDispatcher.Watch watch = dispatcher.watch(client);
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(0, N));
    dispatcher.finish("w:1", task);
    long settlement = watch.last().getSettlements(0).getSettlementId();
    peers.answer(client, settlement, TestPeers.splits(0, 5));
    peers.taken(client, TestPeers.splits(0, 5));
    peers.answer(other, settlement, TestPeers.splits(5, 5));
    assertThat(watch.last().getIterationFinished()).isTrue();
    dispatcher.release(other);
  }

  private JoinIterationRequest.Builder request(long reader) {
    return peers.request(Dataset.range(N), "epochs").setReader(reader).setJoinId(reader);
  }

  private long goOn(long reader, RecordSet taken) {
    return peers
        .join(
            request(reader)
                .setJoinId(reader + 100)
                .addPredecessors(reader)
                .setSourcesFingerprint(fingerprint)
                .setTaken(taken.toProto()))
        .getIterationClientId();
  }

  private LongSet takeAll(long task) {
    LongSet taken = new LongSet();
    TakeSplitsResponse splits = peers.take(task, N);
    while (!splits.getEndOfSplits()) {
      taken.addRange(splits.getFirstSplit(), splits.getFirstSplit() + splits.getNumSplits());
      splits = peers.take(task, N);
    }
    return taken;
  }

  private static LongSet set(long from, long to) {
    LongSet set = new LongSet();
    set.addRange(from, to);
    return set;
  }

  @Test
  void taskThatMakesRecordsOfALaterToken_endsLikeALostOne() {
    client = goOn(FIRST, TestPeers.splits(0, 4));
    TestDispatcher.Watch watch = dispatcher.watch(client);
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(4, N));

    long second = goOn(SECOND, TestPeers.splits(5, 1));

    assertFails(StatusCode.NOT_FOUND, () -> peers.take(task, N));
    assertThat(watch.last().getSettlements(0).getLostTaskId()).isEqualTo(task);
    long settlement = watch.last().getSettlements(0).getSettlementId();
    peers.answer(client, settlement, TestPeers.splits(6, 1));
    peers.answer(second, settlement, new RecordSet());
    LongSet rest = set(7, N);
    rest.addRange(4, 5);
    assertThat(takeAll(peers.task(second, "w:1"))).isEqualTo(rest);
  }

  @Test
  void taskWhoseWorkerLives_isFollowedByAnother_whenItEndsLikeALostOne() {
    client = goOn(FIRST, TestPeers.splits(0, 4));
    long task = peers.task(client, "w:1");
    assertThat(peers.take(task, N).getFirstSplit()).isEqualTo(4);
    assertThat(peers.take(task, N).getFirstSplit()).isEqualTo(5);

    long second = goOn(SECOND, TestPeers.splits(5, 1));
    peers.start("w:1");

    long next = peers.task(second, "w:1");
    assertThat(next).isNotEqualTo(task);
    assertThat(takeAll(next)).isEqualTo(set(6, N));
  }

  @Test
  void taskThatMakesNoRecordsOfALaterToken_goesOn() {
    client = goOn(FIRST, TestPeers.splits(0, 4));
    long task = peers.task(client, "w:1");
    assertThat(peers.take(task, N).getFirstSplit()).isEqualTo(4);

    long _ = goOn(SECOND, TestPeers.splits(5, 1));

    assertThat(takeAll(task)).isEqualTo(set(6, N));
  }

  @Test
  void taskOfAPassThatIsReadAgain_isKnownAsOne_fromASnapshot() {
    client = goOn(FIRST, TestPeers.splits(0, 4));
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(4, N));

    DispatcherState copy = new DispatcherState();
    dispatcher.snapshot().forEach(copy::apply);

    Optional<SplitAccounts> accounts = copy.iterations().of(task(copy, task)).accounts();
    assertThat(accounts.orElseThrow().tasksRemaking(TestPeers.splits(5, 1))).containsExactly(task);
    assertThat(accounts.orElseThrow().tasksRemaking(TestPeers.splits(0, 4))).isEmpty();
  }

  @Test
  void taskOfAForgottenPass_endsLikeALostOne_whenATokenOfMoreReadersHasItsRecords() {
    client = resumeForgotten(FIRST, splits(0));
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(1, N));

    long both =
        peers
            .join(
                forgotten(SECOND + 1, splits(0, 5)).addPredecessors(FIRST).addPredecessors(SECOND))
            .getIterationClientId();

    assertThat(restAfterLossOf(task, both)).isEqualTo(except(0, 5));
  }

  @Test
  void taskOfAForgottenPass_endsLikeALostOne_whenALaterTokenHasItsRecords() {
    client = resumeForgotten(FIRST, splits(0));
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(1, N));

    long again = resumeForgotten(FIRST, splits(0, 5));

    assertThat(restAfterLossOf(task, again)).isEqualTo(except(0, 5));
  }

  @Test
  void taskOfAForgottenPass_goesOn_whenItsReaderResumesAgain() {
    client = resumeForgotten(FIRST, splits(0));
    long task = peers.task(client, "w:1");
    assertThat(peers.take(task, 1).getFirstSplit()).isEqualTo(1);

    long _ = resumeForgotten(FIRST, splits(0));

    assertThat(takeAll(task)).isEqualTo(set(2, N));
  }

  @Test
  void taskOfAPassThatBeganWithNoToken_goesOn_whenATokenHasItsRecords() {
    client = peers.join(forgotten(FIRST, new RecordSet()).clearTaken()).getIterationClientId();
    long task = peers.task(client, "w:1");
    assertThat(peers.take(task, 1).getFirstSplit()).isEqualTo(0);

    long _ = resumeForgotten(FIRST, splits(0));

    assertThat(takeAll(task)).isEqualTo(set(1, N));
  }

  @Test
  void taskOfAForgottenPass_isKnownToMakeRecordsAgain_fromASnapshot() {
    client = resumeForgotten(FIRST, splits(0));
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(set(1, N));

    DispatcherState copy = new DispatcherState();
    dispatcher.snapshot().forEach(copy::apply);

    Optional<SplitAccounts> accounts = copy.iterations().of(task(copy, task)).accounts();
    assertThat(accounts.orElseThrow().tasksRemaking(splits(5))).containsExactly(task);
  }

  @Test
  void readerThatBeganAForgottenPass_isReplaced_whenATokenOfItsAncestorIsResumed() {
    client =
        peers
            .join(forgotten(SECOND, splits(0, 5)).addPredecessors(SECOND).addAncestors(FIRST))
            .getIterationClientId();
    long task = peers.task(client, "w:1");
    assertThat(takeAll(task)).isEqualTo(except(0, 5));

    long first = resumeForgotten(FIRST, new RecordSet());

    assertFails(StatusCode.FAILED_PRECONDITION, () -> peers.taken(client, splits(1)));
    TestDispatcher.Watch watch = dispatcher.watch(first);
    dispatcher.finish("w:1", task);
    peers.answer(first, watch.last().getSettlements(0).getSettlementId(), splits(1, 2));
    LongSet rest = set(3, N);
    rest.addRange(0, 1);
    assertThat(takeAll(peers.tasks(first).getLast().getTaskId())).isEqualTo(rest);
  }

  private JoinIterationRequest.Builder forgotten(long reader, RecordSet taken) {
    return peers
        .request(Dataset.range(N), "forgotten")
        .setReader(reader)
        .setSourcesFingerprint(fingerprint)
        .setTaken(taken.toProto());
  }

  private long resumeForgotten(long reader, RecordSet taken) {
    return peers.join(forgotten(reader, taken).addPredecessors(reader)).getIterationClientId();
  }

  /** The splits that are made after the loss of {@code task}, of which nothing was received. */
  private LongSet restAfterLossOf(long task, long reader) {
    assertFails(StatusCode.NOT_FOUND, () -> peers.take(task, N));
    peers.answer(reader, task, new RecordSet());
    return takeAll(peers.task(reader, "w:1"));
  }

  private static RecordSet splits(long... splits) {
    RecordSet records = new RecordSet();
    for (long split : splits) {
      records.addAll(TestPeers.splits(split, 1));
    }
    return records;
  }

  private static LongSet except(long one, long other) {
    LongSet set = set(0, N);
    return set.minus(set(one, one + 1)).minus(set(other, other + 1));
  }

  private static Task task(DispatcherState state, long id) {
    return state.iterations().findTask(id).orElseThrow();
  }
}

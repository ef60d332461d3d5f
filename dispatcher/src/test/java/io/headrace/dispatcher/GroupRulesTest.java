package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Readers;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers that resume together, of which one contradicts another. */
final class GroupRulesTest {
  private static final int N = 10;

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  private long fingerprint;

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @BeforeEach
  void learnTheFingerprint() {
    peers.start("w:1");
    JoinIterationResponse joined = peers.join(peers.request(Dataset.range(N), "before"));
    fingerprint = joined.getSourcesFingerprint();
    dispatcher.release(joined.getIterationClientId());
  }

  /** A reader of two that resumes from its own token, which has one split. */
  private JoinIterationRequest.Builder member(TestPeers at, long index, long reader, String job) {
    return at.request(Dataset.range(N), "epochs")
        .setReader(100 * reader + index)
        .setJoinId(1000 * reader + index)
        .addPredecessors(reader)
        .setTokenJob(job)
        .setReaders(2)
        .setReaderIndex(index)
        .setWaitsForAll(true)
        .setSourcesFingerprint(fingerprint)
        .setTaken(TestPeers.splits(reader, 1).toProto());
  }

  private long join(long index, long reader, String job) {
    return peers.join(member(peers, index, reader, job)).getIterationClientId();
  }

  /** The pass, from a snapshot of the state. */
  private Iteration pass() {
    DispatcherState copy = new DispatcherState();
    dispatcher.snapshot().forEach(copy::apply);
    return copy.iterations().unfinished().stream()
        .filter(iteration -> iteration.job().name().equals("epochs"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void memberOfAnotherRead_isRefused_alsoByARestartedDispatcher() {
    long _ = join(0, 1, "one");
    assertFails(StatusCode.FAILED_PRECONDITION, () -> join(1, 2, "two"))
        .hasMessageContaining("from a checkpoint of job one, and this one has one of job two");

    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      TestPeers after = new TestPeers(restarted);
      after.start("w:1");
      assertFails(StatusCode.FAILED_PRECONDITION, () -> after.join(member(after, 1, 2, "two")))
          .hasMessageContaining("of job two");
      assertThat(after.join(member(after, 1, 3, "one")).getIterationClientId()).isPositive();
    }
  }

  @Test
  void memberOfAReadThatGoesOnFromTheOthers_joins() {
    long _ = join(0, 1, "one");

    long second = peers.join(member(peers, 1, 2, "two").addAncestors(1)).getIterationClientId();

    assertThat(second).isPositive();
    assertThat(pass().isAwaiting()).isFalse();
  }

  @Test
  void memberWithoutTheNameOfItsRead_asOfEarlierVersions_joins() {
    long _ = join(0, 1, "one");

    long _ = peers.join(member(peers, 1, 2, "").clearTokenJob()).getIterationClientId();

    assertThat(pass().isAwaiting()).isFalse();
  }

  @Test
  void contradictedMemberThatHasLeft_countsNoMore_norDoesItsToken() {
    dispatcher.release(join(1, 2, "two"));
    long _ = join(0, 1, "one");
    assertThat(pass().readers().flatMap(Readers::missing).orElseThrow().getMissingList())
        .containsExactly(1L);

    long _ = join(1, 3, "one");

    assertThat(pass().isAwaiting()).isFalse();
    RecordSet taken = pass().accounts().orElseThrow().taken();
    assertThat(List.of(1, 2, 3))
        .filteredOn(split -> taken.containsAll(TestPeers.splits(split, 1)))
        .containsExactly(1, 3);
  }

  @Test
  void memberThatLeftAfterAllHadJoined_keepsItsRecords() {
    long first = join(0, 1, "one");
    long second = join(1, 2, "one");
    assertThat(peers.take(peers.task(first, "w:1"), 1).getFirstSplit()).isZero();
    peers.taken(first, TestPeers.splits(0, 1));
    dispatcher.release(first);
    dispatcher.release(second);

    long _ =
        peers
            .join(member(peers, 0, 3, "two").setTaken(new RecordSet().toProto()))
            .getIterationClientId();

    assertThat(pass().accounts().orElseThrow().taken().containsAll(TestPeers.splits(0, 1)))
        .isTrue();
  }

  @Test
  void twoOfTheSameNumber_areRefused() {
    long _ = join(0, 1, "one");

    assertFails(StatusCode.FAILED_PRECONDITION, () -> join(0, 2, "one"))
        .hasMessageContaining("has joined it from another checkpoint; each reader of a group has");
  }
}

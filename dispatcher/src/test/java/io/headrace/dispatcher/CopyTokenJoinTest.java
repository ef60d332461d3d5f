package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Joins with a token of parallel epochs' copies. */
final class CopyTokenJoinTest {
  private TestDispatcher dispatcher = new TestDispatcher();
  private TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private GetOrCreateJobRequest job(String name) {
    return peers
        .job(Dataset.range(9).map(x -> x.add(1)), ShardingPolicy.OFF)
        .setJobName(name)
        .build();
  }

  private static JoinIterationRequest.Builder request(GetOrCreateJobRequest job) {
    return JoinIterationRequest.newBuilder().setJob(job).setRepetition(1);
  }

  private static JoinIterationRequest.Builder resumed(
      GetOrCreateJobRequest job, long fingerprint, long copies, RecordSet taken) {
    return request(job)
        .setSourcesFingerprint(fingerprint)
        .setCopies(copies)
        .setTaken(taken.toProto());
  }

  private void restart() {
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen());
    peers = new TestPeers(dispatcher);
  }

  @Test
  void join_saysWhichTasksMakeCopies_alsoAfterARestart() {
    peers.start("w:1");
    peers.start("w:2");
    GetOrCreateJobRequest job = job("j");
    JoinIterationResponse first = peers.join(request(job));
    assertThat(first.getCopyTaskIdsList()).containsExactly(4000L, 4001L);
    assertThat(first.getSourcesFingerprint()).isNotZero();

    restart();

    JoinIterationResponse second = peers.join(request(job));
    assertThat(second.getCopyTaskIdsList()).isEqualTo(first.getCopyTaskIdsList());
    assertThat(second.getSourcesFingerprint()).isEqualTo(first.getSourcesFingerprint());
  }

  @Test
  void join_withAToken_wantsAsManyWorkers_evenIfNothingWasTaken() {
    peers.start("w:1");
    long fingerprint = peers.join(request(job("before"))).getSourcesFingerprint();

    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> peers.join(resumed(job("after"), fingerprint, 2, new RecordSet())))
        .hasMessageContaining("copies of 2 workers, and 1 workers are there");
    assertThat(
            peers
                .join(resumed(job("after"), fingerprint, 1, TestPeers.splits(0, 4)))
                .getCopyTaskIdsList())
        .hasSize(1);
  }

  @Test
  void join_ofARunningPass_isForThoseWithItsTokenOnly_alsoAfterARestart() {
    peers.start("w:1");
    long fingerprint = peers.join(request(job("before"))).getSourcesFingerprint();
    GetOrCreateJobRequest job = job("after");
    RecordSet taken = TestPeers.splits(0, 4);
    var _ = peers.join(resumed(job, fingerprint, 1, taken));

    restart();

    assertThat(peers.join(resumed(job, fingerprint, 1, taken)).getCopyTaskIdsList()).hasSize(1);
    assertFails(StatusCode.FAILED_PRECONDITION, () -> peers.join(request(job)))
        .hasMessageContaining("join it with that");
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> peers.join(resumed(job, fingerprint, 1, TestPeers.splits(0, 5))))
        .hasMessageContaining("with another checkpoint");
    long id = dispatcher.stub().getOrCreateJob(job).getJobId();
    assertFails(StatusCode.FAILED_PRECONDITION, () -> dispatcher.iterate(id, 1))
        .hasMessageContaining("was resumed from a checkpoint");
  }

  @Test
  void join_withATokenOfARunningPassThatBeganWithout_isRefused() {
    peers.start("w:1");
    GetOrCreateJobRequest job = job("j");
    long fingerprint = peers.join(request(job)).getSourcesFingerprint();

    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> peers.join(resumed(job, fingerprint, 1, TestPeers.splits(0, 5))))
        .hasMessageContaining("began without a checkpoint");
  }

  @Test
  void join_withAMalformedToken_isRefusedAndChangesNothing() {
    peers.start("w:1");
    long fingerprint = peers.join(request(job("before"))).getSourcesFingerprint();
    RecordSet ofAnotherCopy = new RecordSet();
    ofAnotherCopy.add(1, -1, 0, 5);
    RecordSet ofGroups = new RecordSet();
    ofGroups.add(0, 3, 0, 5);
    GetOrCreateJobRequest job = job("after");

    assertFails(
        StatusCode.INVALID_ARGUMENT, () -> peers.join(resumed(job, fingerprint, 1, ofAnotherCopy)));
    assertFails(
        StatusCode.INVALID_ARGUMENT, () -> peers.join(resumed(job, fingerprint, 1, ofGroups)));
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> peers.join(resumed(job, fingerprint + 1, 1, new RecordSet())))
        .hasMessageContaining("the sources have changed");
    assertThat(peers.join(request(job)).getCopyTaskIdsList()).hasSize(1);
  }
}

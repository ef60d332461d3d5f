package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Delayed join requests that would replace other clients. */
final class JoinTicketTest {
  private static final long READER = 7;

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private JoinIterationRequest.Builder request(long joinId) {
    return peers.request(Dataset.range(10), "epochs").setReader(READER).setJoinId(joinId);
  }

  private JoinIterationRequest.Builder fromToken(long fingerprint, long joinId) {
    RecordSet taken = new RecordSet();
    taken.add(0, Origins.SPLITS, 0, 1);
    return request(joinId)
        .addPredecessors(READER)
        .setSourcesFingerprint(fingerprint)
        .setTaken(taken.toProto());
  }

  private JoinIterationResponse send(JoinIterationRequest.Builder request) {
    return dispatcher.extensions().joinIteration(request.build());
  }

  /** Fails if the client has lost its place. */
  private void assertHasPlace(long client) {
    assertThat(
            dispatcher
                .extensions()
                .reportReceipts(
                    ReportReceiptsRequest.newBuilder().setIterationClientId(client).build()))
        .isNotNull();
  }

  @Test
  void firstRequestOfAReader_needsNoTicket() {
    peers.start("w:1");

    assertThat(send(request(1)).getTicket()).isZero();
  }

  @Test
  void requestWithAToken_isAnsweredWithATicketFirst_andChangesNothing() {
    peers.start("w:1");
    JoinIterationResponse first = peers.join(request(1));

    JoinIterationResponse ticket = send(fromToken(first.getSourcesFingerprint(), 2));

    assertThat(ticket.getTicket()).isNotZero();
    assertThat(ticket.getIterationClientId()).isZero();
    assertHasPlace(first.getIterationClientId());
  }

  @Test
  void delayedRequestOfAnEndedProcess_afterItsSuccessors_replacesNoClient() {
    peers.start("w:1");
    long fingerprint = peers.join(request(1)).getSourcesFingerprint();
    JoinIterationRequest.Builder late = fromToken(fingerprint, 2);
    late.setTicket(send(late).getTicket());
    JoinIterationResponse successor = peers.join(fromToken(fingerprint, 3));

    JoinIterationResponse answer = send(late);

    assertThat(answer.getIterationClientId()).isZero();
    assertThat(answer.getTicket()).isNotZero().isNotEqualTo(late.getTicket());
    assertHasPlace(successor.getIterationClientId());
  }

  @Test
  void retransmission_withAUsedTicket_getsTheSamePlace() {
    peers.start("w:1");
    long fingerprint = peers.join(request(1)).getSourcesFingerprint();
    JoinIterationRequest.Builder request = fromToken(fingerprint, 2);
    request.setTicket(send(request).getTicket());
    JoinIterationResponse first = send(request);

    assertThat(send(request)).isEqualTo(first);
  }

  @Test
  void delayedRetransmissionOfAFirstRequest_replacesNoClient() {
    peers.start("w:1");
    long fingerprint = peers.join(request(1)).getSourcesFingerprint();
    JoinIterationResponse successor = peers.join(fromToken(fingerprint, 2));

    assertThat(send(request(1)).getIterationClientId()).isZero();
    assertHasPlace(successor.getIterationClientId());
  }
}

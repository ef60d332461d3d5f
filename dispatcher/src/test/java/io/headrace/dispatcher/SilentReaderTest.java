package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exactly-once readers that stop reporting. */
final class SilentReaderTest {
  private static final DispatcherConfig CONFIG =
      DispatcherConfig.builder()
          .jobGcCheckInterval(Duration.ofSeconds(1))
          .jobGcTimeout(Duration.ofSeconds(20))
          .clientTimeout(Duration.ofSeconds(10))
          .build();

  private final TestDispatcher dispatcher = new TestDispatcher(CONFIG);
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private long join(String name) {
    return peers.join(peers.request(Dataset.range(80), name)).getIterationClientId();
  }

  private long joinAlone() {
    return peers.join(peers.request(Dataset.range(80))).getIterationClientId();
  }

  private static ReportReceiptsResponse report(TestDispatcher to, long client) {
    return to.extensions()
        .reportReceipts(ReportReceiptsRequest.newBuilder().setIterationClientId(client).build());
  }

  @Test
  void reader_isToldItsLeaseDuration_ifItsJobCanBeShared() {
    peers.start("w:1");
    var shared = peers.join(peers.request(Dataset.range(80), "shared"));
    var alone = peers.join(peers.request(Dataset.range(80)));

    assertThat(shared.getClientTimeoutMs()).isEqualTo(10_000);
    assertThat(report(dispatcher, shared.getIterationClientId()).getClientTimeoutMs())
        .isEqualTo(10_000);
    assertThat(alone.getClientTimeoutMs()).isZero();
    assertThat(report(dispatcher, alone.getIterationClientId()).getClientTimeoutMs()).isZero();
  }

  @Test
  void readerThatReportsNothing_isKept() {
    peers.start("w:1");
    long client = join("shared");
    for (int i = 0; i < 10; i++) {
      dispatcher.advance(Duration.ofSeconds(15));

      assertThat(report(dispatcher, client).getClientTimeoutMs()).isPositive();
    }
  }

  @Test
  void readerThatIsSilent_hasTwiceTheTime() {
    peers.start("w:1");
    long client = join("shared");
    dispatcher.advance(Duration.ofSeconds(19));
    assertThat(report(dispatcher, client).getClientTimeoutMs()).isPositive();

    dispatcher.advance(Duration.ofSeconds(22));

    assertFails(StatusCode.FAILED_PRECONDITION, () -> report(dispatcher, client));
  }

  @Test
  void readerThatIsSilent_hasTwiceTheTimeAnewOfADispatcherThatRestarts() {
    peers.start("w:1");
    long client = join("shared");
    dispatcher.advance(Duration.ofSeconds(19));
    InMemoryJournal left = dispatcher.memory().reopen();

    try (TestDispatcher next = new TestDispatcher(CONFIG, left)) {
      next.advance(Duration.ofSeconds(19));
      assertThat(report(next, client).getClientTimeoutMs()).isPositive();
      next.advance(Duration.ofSeconds(22));
      assertFails(StatusCode.FAILED_PRECONDITION, () -> report(next, client));
    }
  }

  @Test
  void readerOfAJobOfItsOwn_isHeardOfByWhatWorkersHandOut() {
    peers.start("w:1");
    long client = joinAlone();
    long task = peers.task(client, "w:1");
    for (int i = 1; i <= 10; i++) {
      dispatcher.advance(Duration.ofSeconds(15));
      peers.handOut("w:1", task, i);
    }
    assertThat(dispatcher.statistics().numClients()).isEqualTo(1);

    for (int i = 0; i < 3; i++) {
      dispatcher.advance(Duration.ofSeconds(10));
      peers.handOut("w:1", task, 10);
    }
    assertThat(dispatcher.statistics().numClients()).isZero();
  }

  @Test
  void readerOfASharedJob_isNotHeardOfByWhatWorkersHandOut() {
    peers.start("w:1");
    long client = join("shared");
    long task = peers.task(client, "w:1");
    for (int i = 1; i <= 3; i++) {
      dispatcher.advance(Duration.ofSeconds(10));
      peers.handOut("w:1", task, i);
    }

    assertFails(StatusCode.FAILED_PRECONDITION, () -> report(dispatcher, client));
  }
}

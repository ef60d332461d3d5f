package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.headrace.DescribeTaskRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refused TakeSplits requests: each has its status, names its fault, and changes nothing. */
final class TakeSplitsRefusalTest {
  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);
  private long task;

  @BeforeEach
  void beginExactlyOnce() {
    peers.start("w:1");
    long client =
        peers
            .join(peers.request(Dataset.range(100).repeat(2)).setGuarantee(Guarantee.EXACTLY_ONCE))
            .getIterationClientId();
    task = peers.task(client, "w:1");
  }

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " 0 | 1 | 0 |  0 | max_splits must be 1 or more, got 0",
        "-1 | 1 | 0 |  0 | max_splits must be 1 or more, got -1",
        " 1 | 0 | 0 |  0 | request_number must be 1 or more, got 0",
        " 1 | 1 |-1 |  0 | split_provider_index must be 0 or more, got -1",
        " 1 | 1 | 1 |  0 | split_provider_index must be 0 to 0 in iteration 2000, got 1",
        " 1 | 1 | 4294967296 | 0 | split_provider_index must be 0 to 0 in iteration 2000",
        " 1 | 1 | 0 | -1 | repetition must be 0 or more, got -1"
      })
  void badField_isInvalid_namingIt(
      long maxSplits, long requestNumber, long provider, long repetition, String reason) {
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        request(maxSplits, requestNumber, provider, repetition),
        reason);
  }

  @Test
  void taskThatIsNotThere_isNotFound() {
    assertRefused(
        StatusCode.NOT_FOUND, request(1, 1, 0, 0).setTaskId(999), "Task id 999 is not active");
    assertFails(
            StatusCode.NOT_FOUND,
            () ->
                dispatcher
                    .extensions()
                    .describeTask(DescribeTaskRequest.newBuilder().setTaskId(999).build()))
        .hasMessageContaining("999");
  }

  @Test
  void requestThatWasFollowed_comesLate() {
    var _ = take(request(5, 1, 0, 0));
    var _ = take(request(5, 2, 0, 0));

    assertRefused(StatusCode.FAILED_PRECONDITION, request(5, 1, 0, 0), "request 1 of task " + task);
  }

  @Test
  void laterRepetition_whileThereAreSplitsOfThisOne_comesEarly() {
    var _ = take(request(5, 1, 0, 0));

    assertRefused(
        StatusCode.FAILED_PRECONDITION,
        request(5, 2, 0, 1),
        "repetition 1 of source 0 begins when repetition 0 has come to its end");
    assertRefused(
        StatusCode.FAILED_PRECONDITION, request(5, 2, 0, Long.MAX_VALUE), "has come to its end");
  }

  @Test
  void asManyAsThereAre_isNoMoreThanAShare() {
    TakeSplitsResponse all = take(request(Long.MAX_VALUE, Long.MAX_VALUE, 0, 0));

    assertThat(all.getNumSplits()).isBetween(1L, 100L);
  }

  private void assertRefused(StatusCode code, TakeSplitsRequest.Builder request, String reason) {
    List<JournalRecord> before = dispatcher.snapshot();

    assertFails(code, () -> take(request)).hasMessageContaining(reason);

    assertThat(dispatcher.snapshot()).isEqualTo(before);
  }

  private TakeSplitsResponse take(TakeSplitsRequest.Builder request) {
    return dispatcher.extensions().takeSplits(request.build());
  }

  private TakeSplitsRequest.Builder request(
      long maxSplits, long requestNumber, long provider, long repetition) {
    return TakeSplitsRequest.newBuilder()
        .setTaskId(task)
        .setMaxSplits(maxSplits)
        .setRequestNumber(requestNumber)
        .setSplitProviderIndex(provider)
        .setRepetition(repetition);
  }
}

package io.headrace.client;

import static io.headrace.client.SharedNumbers.N;
import static io.headrace.client.SharedNumbers.assertAll;
import static io.headrace.client.SharedNumbers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.SharedNumbers.Reader;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers of one job by name that one thread reads: each has rows while another one waits. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class ReadersInTurnTest {
  private final SharedNumbers numbers = new SharedNumbers();

  @AfterEach
  void stop() throws Exception {
    numbers.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Transfer.class,
      names = {"STREAM", "LOCAL", "GRPC"})
  void turns_ofTwoReaders_giveEachElementOnce(Transfer transfer) {
    assertTurnsGiveAll(named().withTransfer(transfer));
  }

  @ParameterizedTest
  @EnumSource(
      value = Guarantee.class,
      names = {"AT_LEAST_ONCE", "AT_MOST_ONCE"})
  void turns_withoutTheStrongestGuarantee_giveEachElementOnce(Guarantee guarantee) {
    assertTurnsGiveAll(named().withGuarantee(guarantee));
  }

  @Test
  void turns_overTwoWorkers_giveEachElementOnce() {
    numbers.startWorker();
    assertTurnsGiveAll(named());
  }

  private void assertTurnsGiveAll(DistributeOptions options) {
    Reader first = numbers.read(options);
    Reader second = numbers.read(options);
    int before = -1;
    while (first.taken().size() + second.taken().size() > before) {
      before = first.taken().size() + second.taken().size();
      first.take(1);
      second.take(1);
    }
    assertAll(List.of(first.taken(), second.taken()));
  }

  @Test
  void readerThatPauses_hasItsRows_afterTheOtherHasReachedTheEnd() {
    Reader pausing = numbers.read(named()).take(1);
    List<Long> others = numbers.read(named()).rest();

    List<Long> rest = pausing.rest();

    assertThat(rest).hasSizeGreaterThan(7);
    assertAll(List.of(others, rest));
  }

  @Test
  void readerThatLeaves_whileAnotherWaits_leavesItsRowsToIt() {
    Reader leaving = numbers.read(named()).take(1);
    Reader waiting = numbers.read(named());
    waiting.take((int) N / 14);

    leaving.close();

    assertAll(List.of(leaving.taken(), waiting.rest()));
  }
}

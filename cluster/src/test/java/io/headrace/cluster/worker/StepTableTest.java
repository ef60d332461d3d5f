package io.headrace.cluster.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The state of steps before, during and after their runs. */
final class StepTableTest {
  private final StatusException cancelled =
      new StatusException(StatusCode.CANCELLED, "nobody waits");

  private final StepTable steps = new StepTable();

  private void run(long id) {
    var _ =
        steps.run(
            id,
            key -> key.startsWith("mine;"),
            local -> new StepRendezvous(local, _ -> true, _ -> new CompletableFuture<>()));
  }

  @Test
  void stepThatWasNeverRun_isForgottenWithItsOnlyReceiver() {
    CompletableFuture<Value> value = steps.receive(1, "mine;key");
    steps.forgetUnlessRun(1, cancelled);
    assertThat(value).isCompletedExceptionally();
    assertThat(steps.receive(1, "mine;key")).isNotDone();
  }

  @Test
  void stepThatRuns_goesOnWithoutAReceiver_untilItsMasterEndsIt() {
    CompletableFuture<Value> value = steps.receive(1, "mine;key");
    run(1);
    steps.forgetUnlessRun(1, cancelled);
    assertThat(value).isNotDone();
    steps.remove(1, cancelled);
    assertThat(value).isCompletedExceptionally();
  }

  @Test
  void keyOfAnotherTask_isRefused_onceItIsKnownWhoseTheStepsDevicesAre() {
    CompletableFuture<Value> early = steps.receive(1, "other;key");
    CompletableFuture<Value> mine = steps.receive(1, "mine;key");
    assertThat(early).isNotDone();
    run(1);
    assertRefused(early);
    assertRefused(steps.receive(1, "other;later"));
    assertThat(mine).isNotDone();
  }

  private static void assertRefused(CompletableFuture<Value> value) {
    assertThat(value)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("Invalid rendezvous key (src): other;");
  }

  @Test
  void whoWaits_isToldThatItsErrorFollowsFromAnother_ifItSaysNoMore() {
    for (boolean isRun : new boolean[] {false, true}) {
      CompletableFuture<Value> value = steps.receive(1, "mine;key");
      if (isRun) {
        run(1);
      }
      steps.remove(1, StatusException.of(StatusCode.ABORTED, "Cleanup 1"));
      assertThat(FutureWaits.status(value.exceptionNow()))
          .hasMessage("Cleanup 1")
          .matches(e -> e.has(StatusPayload.DERIVED));
    }
  }
}

package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is known of steps before, while and after they run. */
final class StepsTest {
  private final StatusException cancelled =
      new StatusException(StatusCode.CANCELLED, "nobody waits");

  private final Steps steps = new Steps();

  private void run(long id) {
    var _ =
        steps.run(
            id, local -> new StepRendezvous(local, _ -> true, _ -> new CompletableFuture<>()));
  }

  @Test
  void stepThatWasNeverRun_isForgottenWithItsOnlyReceiver() {
    CompletableFuture<Value> value = steps.local(1).receive("key");
    steps.forgetUnlessRun(1, cancelled);
    assertThat(value).isCompletedExceptionally();
    assertThat(steps.local(1).receive("key")).isNotDone();
  }

  @Test
  void stepThatRuns_goesOnWithoutAReceiver_untilItsMasterEndsIt() {
    CompletableFuture<Value> value = steps.local(1).receive("key");
    run(1);
    steps.forgetUnlessRun(1, cancelled);
    assertThat(value).isNotDone();
    steps.remove(1, cancelled);
    assertThat(value).isCompletedExceptionally();
  }
}

package io.headrace.runtime.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CancellationTest {
  private final Cancellation cancellation = new Cancellation();
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void cancel_runsActionsOnce() {
    cancellation.onCancel(calls::incrementAndGet);

    cancellation.cancel();
    cancellation.cancel();

    assertThat(calls).hasValue(1);
  }

  @Test
  void onCancel_afterCancel_runsAtOnce() {
    cancellation.cancel();

    cancellation.onCancel(calls::incrementAndGet);

    assertThat(calls).hasValue(1);
  }

  @Test
  void close_ofARegistration_takesTheActionBack() {
    cancellation.onCancel(calls::incrementAndGet).close();

    cancellation.cancel();

    assertThat(calls).hasValue(0);
  }

  @Test
  void child_isCancelledWithItsParent_notTheOtherWayRound() {
    Cancellation first = cancellation.child();
    Cancellation second = cancellation.child();

    first.cancel();
    assertThat(cancellation.isCancelled()).isFalse();

    cancellation.cancel();
    assertThat(second.isCancelled()).isTrue();
  }

  @Test
  void check_afterCancel_throwsCancelled() {
    cancellation.cancel();

    assertThatThrownBy(cancellation::check)
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }
}

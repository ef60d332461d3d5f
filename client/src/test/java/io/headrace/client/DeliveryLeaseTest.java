package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a reader must stop delivering. */
final class DeliveryLeaseTest {
  private final AtomicLong nowNanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final DeliveryLease lease = new DeliveryLease(nowNanos::get);

  private void letPass(int seconds) {
    nowNanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void withoutBounds_neverLapses() {
    lease.answered(lease.nanoTime(), 0);
    letPass(1_000_000);

    assertThat(lease.isBounded()).isFalse();
    assertThat(lease.hasLapsed()).isFalse();
    assertThat(lease.hasLapsedTwice()).isFalse();
  }

  @Test
  void lapses_aTimeoutAfterItWasAskedFor_howeverLateTheAnswer() {
    long asked = lease.nanoTime();
    letPass(9);
    lease.answered(asked, 10_000);
    assertThat(lease.hasLapsed()).isFalse();

    letPass(1);

    assertThat(lease.hasLapsed()).isTrue();
    assertThat(lease.hasLapsedTwice()).isFalse();
    letPass(10);
    assertThat(lease.hasLapsedTwice()).isTrue();
    assertThat(lease)
        .hasToString(
            "the dispatcher has not answered it for 20.0 s" + " (client_timeout_ms is 10000)");
  }

  @Test
  void answered_goesOn() {
    lease.answered(lease.nanoTime(), 10_000);
    letPass(25);

    lease.answered(lease.nanoTime(), 10_000);

    assertThat(lease.hasLapsed()).isFalse();
  }

  @Test
  void answerToAnEarlierQuestion_changesNothing() {
    long early = lease.nanoTime();
    letPass(5);
    lease.answered(lease.nanoTime(), 10_000);
    lease.answered(early, 10_000);
    letPass(6);

    assertThat(lease.hasLapsed()).isFalse();
  }

  @Test
  void isRenewed_afterAQuarterOfTheTimeout() {
    lease.answered(lease.nanoTime(), 10_000);
    letPass(2);
    assertThat(lease.untilRenewalNanos()).isPositive();

    letPass(1);

    assertThat(lease.untilRenewalNanos()).isNegative();
  }
}

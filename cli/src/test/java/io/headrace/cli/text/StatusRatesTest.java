package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StatusRatesTest {
  private final StatusRates rates = new StatusRates();

  private void see(long epoch, long delivered, long seconds) {
    rates.see(
        GetStatusResponse.newBuilder()
            .setDispatcher(DispatcherStatus.newBuilder().setEpoch(epoch))
            .addJobs(
                JobStatus.newBuilder()
                    .addIterations(
                        IterationStatus.newBuilder().setId(2000).setElementsDelivered(delivered)))
            .build(),
        TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void firstStatus_hasNoRate() {
    see(1, 500, 10);

    assertThat(rates.of(2000)).isEmpty();
    assertThat(rates.total()).isZero();
  }

  @Test
  void rate_isThatOfTheLastChange() {
    see(1, 500, 10);
    see(1, 600, 11);
    see(1, 900, 12);

    assertThat(rates.of(2000)).hasValue(300);
    assertThat(rates.total()).isEqualTo(300);
  }

  @Test
  void countThatChangesSeldom_keepsItsRateBetweenTheChanges() {
    see(1, 0, 0);
    see(1, 3000, 30);
    see(1, 3000, 59);

    assertThat(rates.of(2000)).hasValue(100);
  }

  @Test
  void countThatStandsStill_hasTheRateZero() {
    see(1, 500, 10);
    see(1, 600, 11);
    see(1, 600, 12);

    assertThat(rates.of(2000)).hasValue(100);

    see(1, 600, 16);

    assertThat(rates.of(2000)).hasValue(0);
  }

  @Test
  void restartedDispatcher_isCountedAnew() {
    see(1, 500, 10);
    see(1, 600, 11);
    see(2, 10, 12);

    assertThat(rates.of(2000)).isEmpty();
  }
}

package io.headrace.dispatcher.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class SecondSeriesTest {
  private static final Offset<Double> ROUNDING = within(1e-4);

  private final SecondSeries series = new SecondSeries();

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void amount_isSpreadOverTheSecondsOfItsTime() {
    series.add(millis(1500), millis(3500), 20);

    assertThat(series.at(0)).isZero();
    assertThat(series.at(1)).isCloseTo(5, ROUNDING);
    assertThat(series.at(2)).isCloseTo(10, ROUNDING);
    assertThat(series.at(3)).isCloseTo(5, ROUNDING);
    assertThat(series.at(4)).isZero();
  }

  @Test
  void amountsOfSeveral_areAdded() {
    series.add(millis(1000), millis(2000), 3);
    series.add(millis(0), millis(2000), 4);

    assertThat(series.at(0)).isCloseTo(2, ROUNDING);
    assertThat(series.at(1)).isCloseTo(5, ROUNDING);
  }

  @Test
  void secondsBeforeTheLastSixHundred_areForgotten() {
    series.add(millis(0), millis(1000), 3);
    series.add(millis(599_000), millis(599_500), 7);
    assertThat(series.at(0)).isCloseTo(3, ROUNDING);

    series.add(millis(600_000), millis(600_500), 8);

    assertThat(series.at(0)).isZero();
    assertThat(series.at(599)).isCloseTo(7, ROUNDING);
    assertThat(series.at(600)).isCloseTo(8, ROUNDING);
  }

  @Test
  void longSilence_leavesNothingBehind() {
    series.add(millis(0), millis(1000), 3);

    series.add(millis(10_000_000), millis(10_001_000), 4);

    for (long second = 10_001 - SecondSeries.SECONDS; second < 10_000; second++) {
      assertThat(series.at(second)).isZero();
    }
    assertThat(series.at(10_000)).isCloseTo(4, ROUNDING);
  }

  @Test
  void clockBelowZero_isNoDifferent() {
    series.add(millis(-1500), millis(500), 4);

    assertThat(series.at(-2)).isCloseTo(1, ROUNDING);
    assertThat(series.at(-1)).isCloseTo(2, ROUNDING);
    assertThat(series.at(0)).isCloseTo(1, ROUNDING);
  }

  @Test
  void longerTimeThanTheRing_countsForItsLastSeconds() {
    series.add(millis(0), millis(1_200_000), 1200);

    assertThat(series.at(1_199)).isCloseTo(1, ROUNDING);
    assertThat(series.at(601)).isCloseTo(1, ROUNDING);
  }
}

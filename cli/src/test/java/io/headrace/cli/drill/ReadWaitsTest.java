package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReadWaitsTest {
  private static final long MILLISECOND = 1_000_000;

  private final ReadWaits waits = new ReadWaits();

  @Test
  void longest_isTheLongestOfMany_butForTheFirst() {
    waited(0, 9000);
    for (int i = 1000; i < 4000; i++) {
      waited(i * 10L, i * 10L + (i == 2000 ? 9 : 1));
    }

    assertThat(waits.longestNanos()).isEqualTo(9 * MILLISECOND);
  }

  @Test
  void recovery_afterAWait_isToItsEnd() {
    waited(0, 1);
    waited(1100, 1101);
    waited(1200, 3000);
    waited(3000, 3150);

    assertThat(recovery(1000, 9000)).isEqualTo(2000);
  }

  @Test
  void recovery_duringAWaitThatHadBegun_isToItsEnd() {
    waited(900, 1500);

    assertThat(recovery(1000, 9000)).isEqualTo(500);
  }

  @Test
  void recovery_withoutAWait_isToTheNextElement() {
    waited(990, 999);
    waited(1003, 1007);
    waited(1007, 1080);

    assertThat(recovery(1000, 9000)).isEqualTo(7);
  }

  @Test
  void recovery_doesNotReachBeyondTheNextFault() {
    waited(1100, 1101);
    waited(2000, 5000);

    assertThat(recovery(1000, 1500)).isEqualTo(101);
  }

  @Test
  void recovery_withoutAnotherElement_isNone() {
    waited(0, 10);

    assertThat(recovery(1000, 9000)).isZero();
  }

  private void waited(long askedMillis, long hadMillis) {
    waits.add(askedMillis * MILLISECOND, hadMillis * MILLISECOND);
  }

  private long recovery(long faultMillis, long untilMillis) {
    return waits.recoveryNanos(faultMillis * MILLISECOND, untilMillis * MILLISECOND) / MILLISECOND;
  }
}

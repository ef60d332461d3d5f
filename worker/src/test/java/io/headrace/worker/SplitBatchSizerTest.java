package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SplitBatchSizerTest {
  private final FakeTicker ticker = new FakeTicker();
  private final SplitBatchSizer remade = SplitBatchSizer.ifRemade(ticker);
  private final SplitBatchSizer lost = SplitBatchSizer.ifLost(ticker, Duration.ZERO);

  /** Records a batch of {@code splits} that was used up within a time. */
  private void use(SplitBatchSizer pace, long splits, Duration within) {
    pace.got(splits);
    ticker.advance(within);
    pace.used(splits);
  }

  @Test
  void atFirst_oneIsWanted() {
    assertThat(remade.wanted()).isEqualTo(1);
    assertThat(remade.asksAhead()).isFalse();
  }

  @Test
  void asMany_asAreUsedUpInTheTimeThatIsToBeBridged() {
    use(remade, 100, Duration.ofSeconds(2));
    assertThat(remade.wanted()).isEqualTo(300);

    use(lost, 100, Duration.ofMillis(200));
    assertThat(lost.wanted()).isEqualTo(50);
  }

  @Test
  void quickOnes_areEightTimesAsMany_slowOnesAtLeastOne() {
    use(lost, 100, Duration.ofNanos(1));
    assertThat(lost.wanted()).isEqualTo(800);

    use(lost, 1, Duration.ofHours(1));
    assertThat(lost.wanted()).isEqualTo(1);
  }

  @Test
  void afterAnEnd_asManyAsBefore() {
    use(remade, 100, Duration.ofSeconds(2));
    var _ = remade.wanted();
    remade.got(0);

    assertThat(remade.wanted()).isEqualTo(300);
    assertThat(remade.asksAhead()).isFalse();
  }

  @Test
  void withHalfOfThemUsedUp_theNextAreAskedFor_unlessTheyWouldBeLost() {
    for (SplitBatchSizer pace : new SplitBatchSizer[] {remade, lost}) {
      pace.got(10);
      pace.used(4);
    }
    assertThat(remade.asksAhead()).isFalse();
    remade.used(1);
    lost.used(1);

    assertThat(remade.asksAhead()).isTrue();
    assertThat(lost.asksAhead()).isFalse();
  }
}

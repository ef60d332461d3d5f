package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RecordCounterTest {
  private final RecordCounter ledger = new RecordCounter(5);

  @Test
  void nothingCame_allIsLost() {
    assertThat(ledger.counts()).isEqualTo(new RecordCounter.Counts(5, 0, 5, 0, 0));
  }

  @Test
  void recordsThatComeAgain_areCountedEachTime() {
    enter(0, 3, 3, 3, 0, 4);

    assertThat(ledger.counts()).isEqualTo(new RecordCounter.Counts(5, 6, 2, 3, 0));
  }

  @Test
  void elementsOfNoRecord_areCountedByThemselves() {
    enter(-1, 5, Long.MAX_VALUE, 1);

    assertThat(ledger.counts()).isEqualTo(new RecordCounter.Counts(5, 4, 4, 0, 3));
  }

  private void enter(long... numbers) {
    for (long number : numbers) {
      ledger.enter(number);
    }
  }
}

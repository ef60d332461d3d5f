package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FaultCostsTest {
  @ParameterizedTest
  @CsvSource({"1, 50", "1250, 50", "2500, 100", "Infinity, 50000000"})
  void lostWorker_costsAtAHigherRate_more(double rate, long elements) {
    var costs = new FaultCosts(rate);
    costs.loseWorkers(1);

    assertThat(costs.limit(7)).isEqualTo(new LossLimit(7, elements, 0));
  }

  @Test
  void faults_addUp() {
    var costs = new FaultCosts(100);
    costs.loseWorkers(2);
    costs.loseWorkers(1);
    costs.loseReader();

    assertThat(costs.limit(0)).isEqualTo(new LossLimit(0, 150, 10));
  }

  @Test
  void noFault_costsNothing() {
    assertThat(new FaultCosts(100).limit(0)).isEqualTo(new LossLimit(0, 0, 0));
  }
}

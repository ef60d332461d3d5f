package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.Guarantee;
import org.junit.jupiter.api.Test;

/**
 * Simulations of the dispatcher from many seeds. {@code -Dsimulation.seed=N} replays one seed;
 * {@code -Dsimulation.seeds=N} sets their number, {@code -Dsimulation.first=N} the first one.
 */
final class SimulationTest {
  private static final long SEEDS = 1_000;

  @Test
  void everySeed_keepsTheInvariants() {
    if (Long.getLong("simulation.seed") != null) {
      new Simulation(Long.getLong("simulation.seed"), SimulationTest::print).run();
      return;
    }
    long first = Long.getLong("simulation.first", 0);
    long seeds = Long.getLong("simulation.seeds", SEEDS);
    long exactly = 0;
    long atLeast = 0;
    long atMost = 0;
    long resumed = 0;
    long resumedByName = 0;
    long begunAgain = 0;
    long together = 0;
    long answeredInTime = 0;
    long shared = 0;
    long unserved = 0;
    long comparisons = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Simulation simulation = new Simulation(seed, (_, _) -> {});
      simulation.run();
      exactly += simulation.judge().judged(Guarantee.EXACTLY_ONCE);
      atLeast += simulation.judge().judged(Guarantee.AT_LEAST_ONCE);
      atMost += simulation.judge().judged(Guarantee.AT_MOST_ONCE);
      resumed += simulation.judge().resumed();
      resumedByName += simulation.judge().resumedByName();
      begunAgain += simulation.judge().begunAgain();
      together += simulation.fleet().hasReadTogether() ? 1 : 0;
      answeredInTime += simulation.judge().answeredInTime();
      shared += simulation.shares().whole();
      unserved += simulation.shares().failed();
      comparisons += simulation.comparisons();
    }
    // Ensures that the seeds cover the interesting cases.
    assertThat(exactly).isGreaterThan(seeds / 4);
    assertThat(atLeast).isGreaterThan(seeds / 4);
    assertThat(atMost).isGreaterThan(seeds / 4);
    assertThat(resumed).isGreaterThan(seeds / 100);
    assertThat(resumedByName).isGreaterThan(seeds / 10);
    assertThat(begunAgain).isGreaterThan(seeds / 100);
    assertThat(together).isGreaterThan(seeds / 20);
    assertThat(answeredInTime).isGreaterThan(seeds / 100);
    assertThat(shared).isGreaterThan(seeds / 20);
    assertThat(unserved).isGreaterThan(seeds / 100);
    assertThat(comparisons).isGreaterThan(seeds * 20);
  }

  @SuppressWarnings("SystemOut") // for the replay of a seed
  private static void print(long nanos, Object what) {
    System.out.printf("%.3f %s%n", nanos / 1e9, what.toString().replaceAll("\\s+", " "));
  }
}

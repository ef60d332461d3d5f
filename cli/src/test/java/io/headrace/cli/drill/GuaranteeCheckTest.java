package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.Guarantee;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class GuaranteeCheckTest {
  @ParameterizedTest
  @EnumSource
  void everythingOnce_keepsEveryPromise(Guarantee guarantee) {
    assertThat(GuaranteeCheck.breaches(evidence(guarantee, counts(0, 0, 0), 0, ""))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "EXACTLY_ONCE,  1, 0, 1, 1",
    "EXACTLY_ONCE,  0, 1, 1, 1",
    "EXACTLY_ONCE,  1, 1, 1, 2",
    "AT_LEAST_ONCE, 1, 0, 1, 1",
    "AT_LEAST_ONCE, 0, 1, 1, 0",
    "AT_MOST_ONCE,  1, 0, 1, 0",
    "AT_MOST_ONCE,  1, 0, 0, 1",
    "AT_MOST_ONCE,  0, 1, 1, 1"
  })
  void lossesAndRepeats_breakWhatRulesThemOut(
      Guarantee guarantee, long lost, long duplicated, int told, int breaches) {
    assertThat(GuaranteeCheck.breaches(evidence(guarantee, counts(lost, duplicated, 0), told, "")))
        .hasSize(breaches);
  }

  @Test
  void lossThatNobodyTold_isSaidToBeSilent() {
    assertThat(GuaranteeCheck.breaches(evidence(Guarantee.AT_MOST_ONCE, counts(1234, 0, 0), 0, "")))
        .containsExactly("1,234 elements were lost in silence: the reader was told of none");
  }

  @ParameterizedTest
  @EnumSource
  void elementsOfNoRecord_breakEveryPromise(Guarantee guarantee) {
    assertThat(GuaranteeCheck.breaches(evidence(guarantee, counts(0, 0, 2), 0, "")))
        .containsExactly("2 elements that no record has came");
  }

  @ParameterizedTest
  @EnumSource
  void readThatDidNotEnd_breaksEveryPromise(Guarantee guarantee) {
    assertThat(GuaranteeCheck.breaches(evidence(guarantee, counts(0, 0, 0), 0, "it hangs")))
        .containsExactly("it hangs");
  }

  @ParameterizedTest
  @EnumSource(names = {"AT_MOST_ONCE", "AT_LEAST_ONCE"})
  void weakerGuaranteeThanWasDemanded_isABreach_alsoWhereNothingHappened(Guarantee told) {
    assertThat(GuaranteeCheck.breaches(demanding(Guarantee.EXACTLY_ONCE, told, counts(0, 0, 0))))
        .containsExactly("the job is read " + told + ", and EXACTLY_ONCE was demanded");
  }

  @Test
  void whatWasDemanded_isWhatItIsJudgedBy() {
    assertThat(
            GuaranteeCheck.breaches(
                demanding(Guarantee.EXACTLY_ONCE, Guarantee.AT_MOST_ONCE, counts(7, 0, 0))))
        .contains("7 elements were lost");
  }

  @ParameterizedTest
  @CsvSource({
    "0,  0, 0, ''",
    "7,  7, 0, ''",
    "8,  7, 0, '8 elements were lost, and the dispatcher counts at most 7 as missing'",
    "1,  0, 0, '1 elements were lost, and the dispatcher counts at most 0 as missing'",
    "10, 0, 1, ''",
    "27, 7, 2, ''",
    "28, 7, 2, '28 elements were lost, and the dispatcher counts at most 7 as missing, "
        + "and killed readers may have had 20 more'"
  })
  void lossesOfAStockClient_mayBeWhatTheDispatcherCounts_andWhatKilledReadersHad(
      long lost, long counted, int killedReaders, String breach) {
    List<String> breaches =
        GuaranteeCheck.breaches(
            new GuaranteeCheck.Evidence(
                Optional.of(Guarantee.AT_MOST_ONCE),
                Guarantee.AT_MOST_ONCE,
                "",
                counts(lost, 0, 0),
                0,
                Optional.of(LossLimit.of(counted, killedReaders)),
                ""));

    assertThat(String.join("; ", breaches)).isEqualTo(breach);
  }

  private static GuaranteeCheck.Evidence demanding(
      Guarantee demanded, Guarantee told, RecordCounter.Counts counts) {
    return new GuaranteeCheck.Evidence(
        Optional.of(demanded), told, "", counts, 1, Optional.empty(), "");
  }

  private static GuaranteeCheck.Evidence evidence(
      Guarantee guarantee, RecordCounter.Counts counts, int told, String failure) {
    return new GuaranteeCheck.Evidence(
        Optional.empty(), guarantee, "", counts, told, Optional.empty(), failure);
  }

  private static RecordCounter.Counts counts(long lost, long duplicated, long foreign) {
    return new RecordCounter.Counts(
        10_000, 10_000 - lost + duplicated + foreign, lost, duplicated, foreign);
  }
}

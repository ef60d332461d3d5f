package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.ReadStatistics.LossReason;
import io.headrace.client.ReadStatistics.LostTask;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The text of a lost task, which programs print and readers log. */
final class LostTaskTest {
  private static final OptionalLong NONE = OptionalLong.empty();

  private static LostTask lost(
      OptionalLong splits, OptionalLong elements, LossReason reason, boolean madeAgain) {
    return new LostTask("w:1", 4000, 12, splits, elements, reason, madeAgain);
  }

  @Test
  void text_ofSplits_isTheMostThatIsMissing() {
    assertThat(lost(OptionalLong.of(7), NONE, LossReason.WORKER_LOST, false))
        .hasToString(
            "worker w:1 was lost with task 4000, after 12 elements: what it had not delivered of 7"
                + " splits is missing");
  }

  @Test
  void text_ofAnnouncedElements_isTheMostThatIsMissing() {
    assertThat(lost(NONE, OptionalLong.of(3), LossReason.WORKER_LEFT, false))
        .hasToString(
            "worker w:1 left with task 4000, after 12 elements: at most 3 elements that it had"
                + " announced are missing");
  }

  @Test
  void text_whenNothingIsKnown_hasNoNumber() {
    assertThat(lost(NONE, NONE, LossReason.WORKER_LOST, false))
        .hasToString(
            "worker w:1 was lost with task 4000, after 12 elements: what it had not delivered is"
                + " missing");
  }

  @Test
  void text_ofATaskThatHadDeliveredAll_saysSo() {
    assertThat(lost(OptionalLong.of(0), NONE, LossReason.WORKER_LEFT, false))
        .hasToString("worker w:1 left with task 4000, after 12 elements: nothing is missing");
  }

  @Test
  void text_whenElementsAreMadeAgain_namesTheReason() {
    assertThat(lost(NONE, NONE, LossReason.READER_GONE, true))
        .hasToString(
            "a reader of task 4000 of worker w:1 went away, after 12 elements: what it had not"
                + " delivered is made again");
    assertThat(lost(NONE, NONE, LossReason.RECORDS_RESUMED, true))
        .hasToString(
            "task 4000 of worker w:1 ended for a reader that resumed, after 12 elements: what it"
                + " had not delivered is made again");
  }
}

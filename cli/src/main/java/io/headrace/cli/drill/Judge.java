package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Says whether what a reader got is what its job promised. */
final class Judge {
  /**
   * What is known of a read that is over.
   *
   * @param demanded what the reader insisted on; empty if on nothing
   * @param guarantee what the reader was told that the job guarantees; what it insisted on if it
   *     was told nothing
   * @param reason what it was told of why it is no more
   * @param counts what it got
   * @param toldLosses how many tasks it was told to have been lost with what they had not delivered
   * @param failure why it did not come to its end; empty if it did
   */
  record Evidence(
      Optional<Guarantee> demanded,
      Guarantee guarantee,
      String reason,
      Ledger.Counts counts,
      int toldLosses,
      String failure) {
    /** Whatever the job was said to guarantee, it is judged by no less than was insisted on. */
    Guarantee judgedBy() {
      return demanded.orElse(guarantee);
    }
  }

  private Judge() {}

  /** How the promise was broken, each way in a sentence; none if it was kept. */
  static List<String> breaches(Evidence evidence) {
    List<String> breaches = new ArrayList<>();
    Ledger.Counts counts = evidence.counts();
    if (!evidence.failure().isEmpty()) {
      breaches.add(evidence.failure());
    }
    evidence
        .demanded()
        .filter(demanded -> demanded != evidence.guarantee())
        .ifPresent(demanded ->
            breaches.add(
                "the job is read %s, and %s was demanded"
                    .formatted(evidence.guarantee(), demanded)));
    if (counts.foreign() > 0) {
      breaches.add(elements(counts.foreign()) + " that no record has came");
    }
    if (counts.duplicated() > 0 && evidence.judgedBy() != Guarantee.AT_LEAST_ONCE) {
      breaches.add(elements(counts.duplicated()) + " came again");
    }
    if (counts.lost() > 0 && evidence.judgedBy() != Guarantee.AT_MOST_ONCE) {
      breaches.add(elements(counts.lost()) + " were lost");
    } else if (counts.lost() > 0 && evidence.toldLosses() == 0) {
      breaches.add(elements(counts.lost()) + " were lost in silence: the reader was told of none");
    }
    return breaches;
  }

  private static String elements(long count) {
    return String.format(Locale.ROOT, "%,d elements", count);
  }
}

package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says whether what a reader got is what its job promised. */
final class Judge {
  /**
   * What is known of a read that is over.
   *
   * @param guarantee what the reader was told that the job guarantees
   * @param reason what it was told of why it is no more
   * @param counts what it got
   * @param toldLosses how many tasks it was told to have been lost with what they had not delivered
   * @param failure why it did not come to its end; empty if it did
   */
  record Evidence(
      Guarantee guarantee, String reason, Ledger.Counts counts, int toldLosses, String failure) {}

  private Judge() {}

  /** How the promise was broken, each way in a sentence; none if it was kept. */
  static List<String> breaches(Evidence evidence) {
    List<String> breaches = new ArrayList<>();
    Ledger.Counts counts = evidence.counts();
    if (!evidence.failure().isEmpty()) {
      breaches.add(evidence.failure());
    }
    if (counts.foreign() > 0) {
      breaches.add(elements(counts.foreign()) + " that no record has came");
    }
    if (counts.duplicated() > 0 && evidence.guarantee() != Guarantee.AT_LEAST_ONCE) {
      breaches.add(elements(counts.duplicated()) + " came again");
    }
    if (counts.lost() > 0 && evidence.guarantee() != Guarantee.AT_MOST_ONCE) {
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

package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Judges a read by the job's guarantee. */
final class GuaranteeCheck {
  /**
   * The facts about a finished read.
   *
   * @param demanded the guarantee that the reader demanded; empty if none
   * @param guarantee the guarantee that the reader was told; the demanded one if it was told none
   * @param reason why the guarantee is not stronger
   * @param counts the counts of records
   * @param toldLosses the number of tasks reported as lost with undelivered elements
   * @param limit the elements that may be missing; empty if only the reader knows of losses
   * @param failure why the read did not reach its end; empty if it did
   */
  record Evidence(
      Optional<Guarantee> demanded,
      Guarantee guarantee,
      String reason,
      RecordCounter.Counts counts,
      int toldLosses,
      Optional<LossLimit> limit,
      String failure) {
    /** The demanded guarantee, or the job's if none was demanded. */
    Guarantee judgedBy() {
      return demanded.orElse(guarantee);
    }
  }

  private GuaranteeCheck() {}

  /** The breaches of the guarantee, a sentence each; empty if it was kept. */
  static List<String> breaches(Evidence evidence) {
    List<String> breaches = new ArrayList<>();
    RecordCounter.Counts counts = evidence.counts();
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
    } else if (evidence.limit().isPresent()) {
      evidence.limit().get().breach(counts.lost()).ifPresent(breaches::add);
    } else if (counts.lost() > 0 && evidence.toldLosses() == 0) {
      breaches.add(elements(counts.lost()) + " were lost in silence: the reader was told of none");
    }
    return breaches;
  }

  private static String elements(long count) {
    return String.format(Locale.ROOT, "%,d elements", count);
  }
}

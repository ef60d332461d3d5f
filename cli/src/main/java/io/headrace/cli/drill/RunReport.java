package io.headrace.cli.drill;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one run of a drill did, and what came of it.
 *
 * @param seed what random choices followed from
 * @param guarantee what the job was said to guarantee, as exactly_once
 * @param guaranteeReason why the job has no stronger one; empty if it has the strongest
 * @param expected how many records the job has
 * @param delivered how many elements the reader got
 * @param lost how many records it did not get
 * @param duplicated how many elements were records that it had got before
 * @param lossesTold how many tasks the reader was told to have been lost
 * @param longestWaitSeconds the longest time that the reader waited for an element, but for the
 *     first
 * @param recoverySeconds the longest recovery from a fault
 * @param faults the faults, in order
 * @param steps all that was done, in order
 * @param isKept whether the promise was kept
 * @param breaches how the promise was broken; none if it was kept
 * @param folder where logs and work_dir were kept; null if they were not
 */
public record RunReport(
    long seed,
    String guarantee,
    String guaranteeReason,
    long expected,
    long delivered,
    long lost,
    long duplicated,
    int lossesTold,
    double longestWaitSeconds,
    double recoverySeconds,
    List<FaultReport> faults,
    List<Step> steps,
    boolean isKept,
    List<String> breaches,
    @Nullable String folder) {
  /** Makes the lists immutable. */
  public RunReport {
    faults = List.copyOf(faults);
    steps = List.copyOf(steps);
    breaches = List.copyOf(breaches);
  }
}

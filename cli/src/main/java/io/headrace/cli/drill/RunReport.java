package io.headrace.cli.drill;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of one run of a drill.
 *
 * @param seed the seed of random choices
 * @param guarantee the job's guarantee, such as exactly_once
 * @param guaranteeReason why the guarantee is not stronger; empty if it is the strongest
 * @param expected the number of the job's records
 * @param delivered the number of elements the reader received
 * @param lost the number of records it did not receive
 * @param duplicated the number of elements whose record it had received before
 * @param lossesTold the number of lost tasks reported to the reader, or in the dispatcher's log
 *     where a stock client read
 * @param countedMissing the most elements that are missing, as the dispatcher counts them, where a
 *     stock client read; otherwise null
 * @param longestWaitSeconds the reader's longest wait for an element, except the first
 * @param recoverySeconds the longest recovery from a fault
 * @param faults the faults, in order
 * @param steps all steps, in order
 * @param isKept whether the guarantee was kept
 * @param breaches the breaches of the guarantee; empty if it was kept
 * @param folder the folder of logs and work_dir if kept, otherwise null
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
    @Nullable Long countedMissing,
    double longestWaitSeconds,
    double recoverySeconds,
    List<FaultReport> faults,
    List<Step> steps,
    boolean isKept,
    List<String> breaches,
    @Nullable String folder) {
  /** Copies the lists. */
  public RunReport {
    faults = List.copyOf(faults);
    steps = List.copyOf(steps);
    breaches = List.copyOf(breaches);
  }
}

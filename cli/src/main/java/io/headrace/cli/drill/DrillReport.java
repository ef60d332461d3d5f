package io.headrace.cli.drill;

import java.util.List;

/**
 * What all runs of a drill did.
 *
 * @param drill its name
 * @param workers how many workers its cluster had; 0 for one that ran already
 * @param files how many files the job read
 * @param recordsPerFile how many records each of them had
 * @param kept how many runs kept their promise
 * @param broken how many did not
 * @param lost how many records were lost, over all runs
 * @param duplicated how many elements came again, over all runs
 * @param longestWaitSeconds the longest wait of all runs
 * @param recoverySeconds the longest recovery of all runs
 * @param runs the runs, in order
 */
public record DrillReport(
    String drill,
    int workers,
    int files,
    int recordsPerFile,
    long kept,
    long broken,
    long lost,
    long duplicated,
    double longestWaitSeconds,
    double recoverySeconds,
    List<RunReport> runs) {
  /** Makes the list immutable. */
  public DrillReport {
    runs = List.copyOf(runs);
  }

  /** The sum of {@code runs}. */
  public static DrillReport of(
      String drill, int workers, DrillSettings settings, List<RunReport> runs) {
    long kept = runs.stream().filter(RunReport::isKept).count();
    return new DrillReport(
        drill,
        workers,
        settings.files(),
        settings.recordsPerFile(),
        kept,
        runs.size() - kept,
        runs.stream().mapToLong(RunReport::lost).sum(),
        runs.stream().mapToLong(RunReport::duplicated).sum(),
        runs.stream().mapToDouble(RunReport::longestWaitSeconds).max().orElse(0),
        runs.stream().mapToDouble(RunReport::recoverySeconds).max().orElse(0),
        runs);
  }

  /** Whether every run kept its promise. */
  public boolean isKept() {
    return broken == 0;
  }
}

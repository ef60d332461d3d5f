package io.headrace.cli.drill;

import java.util.List;

/**
 * The results of all runs of a drill.
 *
 * @param drill the drill's name
 * @param workers the number of workers of the drill's own cluster; 0 for an existing cluster
 * @param files the number of files the job read
 * @param recordsPerFile the number of records per file
 * @param kept the number of runs that kept the guarantee
 * @param broken the number of runs that broke it
 * @param lost the records lost, over all runs
 * @param duplicated the elements delivered again, over all runs
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
  /** Copies the list. */
  public DrillReport {
    runs = List.copyOf(runs);
  }

  /** Sums up {@code runs}. */
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

  /** Whether every run kept the guarantee. */
  public boolean isKept() {
    return broken == 0;
  }
}

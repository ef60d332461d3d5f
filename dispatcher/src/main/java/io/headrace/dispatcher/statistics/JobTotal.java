package io.headrace.dispatcher.statistics;

import java.util.List;

/**
 * Sums of what peers reported of a job since the dispatcher's start.
 *
 * @param job its name; {@link JobActivity#ANONYMOUS} for all anonymous jobs together
 * @param rows the rows that readers took from Headrace's workers
 * @param bytes their bytes
 * @param emptySeconds how long readers waited at tasks that had no row
 * @param withheldSeconds how long they waited for rows that were not announced yet
 * @param fullSeconds how long tasks waited for room in their buffers
 * @param elements the elements that users of Java readers took
 * @param waitSeconds how long these users waited for them
 * @param lostTasks the tasks that ended because their worker was lost or left
 * @param lostSplits the most splits that are missing with them
 * @param lostElements the most elements that are missing with them
 * @param stages its stages; those of one name are one
 */
public record JobTotal(
    String job,
    double rows,
    double bytes,
    double emptySeconds,
    double withheldSeconds,
    double fullSeconds,
    long elements,
    double waitSeconds,
    long lostTasks,
    long lostSplits,
    long lostElements,
    List<OfStage> stages) {
  /** Copies the list. */
  public JobTotal {
    stages = List.copyOf(stages);
  }

  /**
   * Sums of a stage over all workers. On each worker the three times add up to that of the pass.
   *
   * @param name its name, and the user's function
   * @param rows the rows that it returned
   * @param busySeconds how long it worked
   * @param starvedSeconds how long it waited for its input
   * @param blockedSeconds how long it waited for its consumer
   */
  public record OfStage(
      String name, double rows, double busySeconds, double starvedSeconds, double blockedSeconds) {}
}

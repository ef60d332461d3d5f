package io.headrace.worker;

import java.util.Map;

/**
 * Figures of a worker at one moment. Sums are since its start, over all tasks, and only grow.
 *
 * @param registered whether the dispatcher has answered its registration
 * @param tasks its live tasks
 * @param deletedTasks the tasks that it has deleted, as its dispatcher told it to
 * @param rows the rows that readers took
 * @param bytes their bytes
 * @param errorsIgnored the elements that failed and that ignore_errors left out
 * @param emptySeconds how long readers waited at tasks that had no row
 * @param withheldSeconds how long they waited for rows that were not announced yet
 * @param fullSeconds how long tasks waited for room in their buffers
 * @param stages the stages of all passes, by the names of their iterators
 */
public record WorkerCounts(
    boolean registered,
    long tasks,
    long deletedTasks,
    long rows,
    long bytes,
    long errorsIgnored,
    double emptySeconds,
    double withheldSeconds,
    double fullSeconds,
    Map<String, OfStage> stages) {
  /** The figures of a worker that is not started. */
  static final WorkerCounts NONE = new WorkerCounts(false, 0, 0, 0, 0, 0, 0, 0, 0, Map.of());

  /** Copies the map. */
  public WorkerCounts {
    stages = Map.copyOf(stages);
  }

  /**
   * Sums of stages of one name.
   *
   * @param rows the rows that they returned
   * @param busySeconds their work, in all threads together
   * @param starvedSeconds their waits for input, in all passes over them together
   */
  public record OfStage(long rows, double busySeconds, double starvedSeconds) {
    static final OfStage NONE = new OfStage(0, 0, 0);

    OfStage plus(OfStage other) {
      return new OfStage(
          rows + other.rows,
          busySeconds + other.busySeconds,
          starvedSeconds + other.starvedSeconds);
    }
  }
}

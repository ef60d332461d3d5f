package io.headrace.dispatcher.statistics;

import java.util.List;
import java.util.Optional;

/**
 * The load of an active task.
 *
 * @param id the task
 * @param worker the address of its worker
 * @param stock whether the worker is TensorFlow's own, which reports nothing
 * @param window its load of the last seconds; empty until it has reported
 */
public record TaskLoad(long id, String worker, boolean stock, Optional<Window> window) {
  /**
   * The load of a task over some seconds.
   *
   * @param millis their number, in milliseconds
   * @param fromBeginning whether they are the first ones of its pass
   * @param ended whether it has produced its last row
   * @param stages its stages, each behind its consumer
   * @param rowsPerSecond the rows that readers took
   * @param bytesPerSecond their bytes
   * @param empty the share of the time in which readers waited and there was no row
   * @param withheld the share in which readers waited for rows that were not announced yet
   * @param full the share in which the pass waited for room
   * @param fill how full the buffer is
   */
  public record Window(
      long millis,
      boolean fromBeginning,
      boolean ended,
      List<StageLoad> stages,
      double rowsPerSecond,
      double bytesPerSecond,
      double empty,
      double withheld,
      double full,
      double fill) {}
}

package io.headrace.dispatcher.statistics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The stage of a pipeline that limits it, on one worker. A buffer that is full is filled faster
 * than it is emptied, so what is before it does not limit; one that is empty is emptied faster. So
 * the limit is among the stages behind the first full buffer, as seen from the reader, and it is
 * the busiest of them.
 *
 * @param task the task whose pipeline it is
 * @param stages the stages of the pipeline
 * @param index the index of the stage
 */
record LimitingStage(TaskLoad task, List<StageLoad> stages, int index) {
  /** From this share on, a buffer's producer is said to wait for room: the buffer is full. */
  private static final double FULL = 0.5;

  /** From this share on, waits for room and waits for rows are both worth a larger buffer. */
  private static final double OFTEN = 0.15;

  /** A filter that keeps less of its rows drops nearly all. */
  private static final double NEARLY_NONE = 0.02;

  /** The busiest stage of all workers, each of which has stages. */
  static Optional<LimitingStage> of(List<TaskLoad> tasks) {
    return tasks.stream()
        .flatMap(task -> of(task).stream())
        .max(Comparator.comparingDouble(limit -> limit.stage().busy()));
  }

  private static Optional<LimitingStage> of(TaskLoad task) {
    List<StageLoad> stages = task.window().map(TaskLoad.Window::stages).orElse(List.of());
    List<Boolean> beforeFullBuffer = new ArrayList<>();
    Optional<LimitingStage> busiest = Optional.empty();
    for (int i = 0; i < stages.size(); i++) {
      int consumer = stages.get(i).consumer();
      boolean hidden =
          consumer >= 0 && (beforeFullBuffer.get(consumer) || isFullBuffer(stages.get(consumer)));
      beforeFullBuffer.add(hidden);
      boolean more = busiest.isEmpty() || stages.get(i).busy() > busiest.get().stage().busy();
      if (!hidden && more) {
        busiest = Optional.of(new LimitingStage(task, stages, i));
      }
    }
    return busiest;
  }

  private static boolean isFullBuffer(StageLoad stage) {
    return stage.fill().isPresent() && stage.blocked() >= FULL;
  }

  StageLoad stage() {
    return stages.get(index);
  }

  boolean isSource() {
    return stages.stream().noneMatch(stage -> stage.consumer() == index);
  }

  /** The filter that drops nearly all of what the stage works for, itself or one behind it. */
  Optional<StageLoad> wastefulFilter() {
    for (int i = index; i >= 0; i = stages.get(i).consumer()) {
      StageLoad stage = stages.get(i);
      double offered = offered(i);
      if (stage.name().contains("Filter")
          && offered > 0
          && stage.rowsPerSecond() < NEARLY_NONE * offered) {
        return Optional.of(stage);
      }
    }
    return Optional.empty();
  }

  /** The rows per second that the inputs of a stage return. */
  double offered(int consumer) {
    return stages.stream()
        .filter(stage -> stage.consumer() == consumer)
        .mapToDouble(StageLoad::rowsPerSecond)
        .sum();
  }

  /** The rows per second that the inputs of {@code stage} return. */
  double offered(StageLoad stage) {
    return offered(stages.indexOf(stage));
  }

  /** A buffer that is full and empty by turns, so that both sides of it wait for each other. */
  Optional<StageLoad> smallBuffer() {
    return stages.stream()
        .filter(stage -> stage.fill().isPresent() && stage.blocked() >= OFTEN)
        .filter(stage -> stage.blocked() < FULL && waitsFor(stage) >= OFTEN)
        .findFirst();
  }

  /** The share of the time in which the consumer of {@code buffer} waits for it. */
  double waitsFor(StageLoad buffer) {
    return buffer.consumer() < 0
        ? task.window().map(TaskLoad.Window::empty).orElse(0.0)
        : stages.get(buffer.consumer()).starved();
  }
}

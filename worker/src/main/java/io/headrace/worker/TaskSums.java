package io.headrace.worker;

import io.headrace.proto.headrace.BufferSums;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import java.util.HashMap;
import java.util.Map;

/** Sums over tasks. Bounded: stages of further names than {@link #MAX_STAGES} have no sums. */
final class TaskSums {
  static final int MAX_STAGES = 200;

  private static final double MICROS_PER_SECOND = 1e6;

  private long rows;
  private long bytes;
  private long emptyMicros;
  private long withheldMicros;
  private long fullMicros;
  private long errorsIgnored;
  private final Map<String, WorkerCounts.OfStage> stages;

  /** Sums over no tasks. */
  TaskSums() {
    stages = new HashMap<>();
  }

  /** The same sums; what is added to one is not in the other. */
  TaskSums(TaskSums other) {
    rows = other.rows;
    bytes = other.bytes;
    emptyMicros = other.emptyMicros;
    withheldMicros = other.withheldMicros;
    fullMicros = other.fullMicros;
    errorsIgnored = other.errorsIgnored;
    stages = new HashMap<>(other.stages);
  }

  /** Adds a task. */
  void add(TaskStages task) {
    BufferSums buffer = task.getBuffer();
    rows += buffer.getRows();
    bytes += buffer.getBytes();
    emptyMicros += buffer.getEmptyMicros();
    withheldMicros += buffer.getWithheldMicros();
    fullMicros += buffer.getFullMicros();
    errorsIgnored += task.getErrorsIgnored();
    for (StageSums stage : task.getStagesList()) {
      if (stages.containsKey(stage.getName()) || stages.size() < MAX_STAGES) {
        stages.merge(stage.getName(), of(stage), WorkerCounts.OfStage::plus);
      }
    }
  }

  private static WorkerCounts.OfStage of(StageSums stage) {
    return new WorkerCounts.OfStage(
        stage.getRows(),
        stage.getBusyMicros() / MICROS_PER_SECOND,
        stage.getStarvedMicros() / MICROS_PER_SECOND);
  }

  /** The figures of a worker with these sums. */
  WorkerCounts counts(boolean registered, long tasks, long deletedTasks) {
    return new WorkerCounts(
        registered,
        tasks,
        deletedTasks,
        rows,
        bytes,
        errorsIgnored,
        emptyMicros / MICROS_PER_SECOND,
        withheldMicros / MICROS_PER_SECOND,
        fullMicros / MICROS_PER_SECOND,
        stages);
  }
}

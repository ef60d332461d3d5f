package io.headrace.worker;

import io.headrace.dataset.execute.pass.Stage;
import io.headrace.proto.headrace.KernelSums;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.runtime.op.KernelTimes;
import java.util.concurrent.TimeUnit;

/** The measurement of one pass of a task, from its begin to its end. Thread-safe. */
final class TaskMeasurement {
  private final long pass;
  private final StageTimer timer;
  private final long begunNanos;
  private final Stage user;
  private boolean ended;
  private long elapsedNanos;

  private TaskMeasurement(long pass, StageTimer timer) {
    this.pass = pass;
    this.timer = timer;
    begunNanos = timer.clock().nanos();
    user = Stage.ofPass(timer.clock());
  }

  /** Begins to measure a pass, whose number distinguishes it from others of its task. */
  static TaskMeasurement begin(long pass, StageTimer timer) {
    timer.begin();
    return new TaskMeasurement(pass, timer);
  }

  /** The user of the pass, whose stages are measured. */
  Stage user() {
    return user;
  }

  /** The pass has ended: no time counts from now on. Idempotent. */
  synchronized void end() {
    if (!ended) {
      ended = true;
      elapsedNanos = timer.clock().nanos() - begunNanos;
      timer.end();
    }
  }

  /** Whether the pass has ended. */
  synchronized boolean hasEnded() {
    return ended;
  }

  /** The sums of the pass. */
  synchronized TaskStages.Builder sums() {
    TaskStages.Builder sums =
        TaskStages.newBuilder()
            .setPass(pass)
            .setEnded(ended)
            .setElapsedMicros(micros(ended ? elapsedNanos : timer.clock().nanos() - begunNanos));
    user.figures().forEach(stage -> sums.addStages(toProto(stage)));
    return sums;
  }

  /**
   * How long an element took on average, in the threads of all stages together; 0 before the first.
   */
  double nanosPerRow() {
    long busyNanos = 0;
    long rows = 0;
    for (Stage.Figures stage : user.figures()) {
      busyNanos += stage.busyNanos();
      rows += stage.consumer() < 0 ? stage.rows() : 0;
    }
    return rows == 0 ? 0 : (double) busyNanos / rows;
  }

  private static StageSums toProto(Stage.Figures stage) {
    StageSums.Builder sums =
        StageSums.newBuilder()
            .setConsumer(stage.consumer())
            .setName(stage.name())
            .setFunction(stage.function())
            .setRows(stage.rows())
            .setBusyMicros(micros(stage.busyNanos()))
            .setStarvedMicros(micros(stage.starvedNanos()))
            .setThreads(stage.threads())
            .setMaxThreads(stage.maxThreads())
            .setLanes(stage.lanes())
            .setFills(stage.fills())
            .setFillPermille(stage.fillPermille());
    for (KernelTimes.OpTime kernel : stage.kernels()) {
      sums.addKernels(
          KernelSums.newBuilder().setOp(kernel.op()).setBusyMicros(micros(kernel.nanos())));
    }
    return sums.build();
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }
}

package io.headrace.dispatcher.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headrace.proto.headrace.BufferSums;
import io.headrace.proto.headrace.KernelSums;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.runtime.status.StatusException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StageReportsTest {
  private static final long TASK = 4000;

  private final StageReports reports = new StageReports();

  /** A report after some seconds in which a map of two threads was busy half of the time. */
  private static TaskStages.Builder report(long pass, long seconds) {
    long micros = TimeUnit.SECONDS.toMicros(seconds);
    return TaskStages.newBuilder()
        .setTaskId(TASK)
        .setPass(pass)
        .setElapsedMicros(micros)
        .addStages(
            StageSums.newBuilder()
                .setConsumer(-1)
                .setName("ParallelMapV2")
                .setFunction("__inference_Dataset_map_augment_12")
                .setRows(100 * seconds)
                .setBusyMicros(micros)
                .setStarvedMicros(micros / 4)
                .setThreads(2)
                .setMaxThreads(4)
                .setLanes(1)
                .addKernels(
                    KernelSums.newBuilder().setOp("Sum").setBusyMicros(Math.min(micros, 3) / 8))
                .addKernels(
                    KernelSums.newBuilder().setOp("DecodeJpeg").setBusyMicros(micros * 3 / 4))
                .addKernels(KernelSums.newBuilder().setOp("Resize").setBusyMicros(micros / 8)))
        .addStages(StageSums.newBuilder().setConsumer(0).setName("Range").setLanes(1))
        .setBuffer(
            BufferSums.newBuilder()
                .setRows(90 * seconds)
                .setBytes(900 * seconds)
                .setEmptyMicros(micros / 5)
                .setFillPermille(300));
  }

  private void note(TaskStages.Builder report, long atSeconds) {
    reports.note(report.build(), TimeUnit.SECONDS.toNanos(atSeconds));
  }

  private Optional<TaskLoad.Window> window() {
    return reports.of(TASK).flatMap(StageReports.OfTask::window);
  }

  @Test
  void firstReport_isOfThePassFromItsBegin() {
    note(report(1, 4), 104);

    TaskLoad.Window window = window().orElseThrow();

    assertThat(window.millis()).isEqualTo(4000);
    assertThat(window.rowsPerSecond()).isCloseTo(90, within(0.01));
    assertThat(window.bytesPerSecond()).isCloseTo(900, within(0.01));
    assertThat(window.empty()).isCloseTo(0.2, within(0.001));
    assertThat(window.fill()).isCloseTo(0.3, within(0.001));
    StageLoad map = window.stages().getFirst();
    assertThat(map.busy()).isCloseTo(0.5, within(0.001));
    assertThat(map.starved()).isCloseTo(0.25, within(0.001));
    assertThat(map.blocked()).isCloseTo(0.25, within(0.001));
    assertThat(map.rowsPerSecond()).isCloseTo(100, within(0.01));
    assertThat(map.text()).isEqualTo("ParallelMapV2(augment)");
    assertThat(map.fill()).isEmpty();
    assertThat(map.kernels())
        .containsExactly(
            new StageLoad.Kernel("DecodeJpeg", 0.75), new StageLoad.Kernel("Resize", 0.125));
  }

  @Test
  void window_isTheLastTenToTwentySeconds() {
    for (int second = 2; second <= 100; second += 2) {
      note(report(1, second), 100 + second);
      assertThat(window().orElseThrow().millis()).isLessThanOrEqualTo(20_000);
    }

    assertThat(window().orElseThrow().millis()).isGreaterThanOrEqualTo(10_000);
  }

  @Test
  void firstSeconds_areLeftOutOfLaterWindows() {
    note(report(1, 4), 104);
    note(report(1, 8), 108);
    assertThat(window().orElseThrow().fromBeginning()).isTrue();
    assertThat(window().orElseThrow().millis()).isEqualTo(8000);

    note(report(1, 12), 112);

    assertThat(window().orElseThrow().fromBeginning()).isFalse();
    assertThat(window().orElseThrow().millis()).isEqualTo(4000);
  }

  @Test
  void firstReport_ofAnOldPass_waitsForTheNext() {
    note(report(1, 3600), 5000);
    assertThat(window()).isEmpty();

    note(report(1, 3602), 5002);

    assertThat(window().orElseThrow().millis()).isEqualTo(2000);
  }

  @Test
  void anotherPass_beginsAnew() {
    note(report(1, 20), 120);
    note(report(2, 1), 125);
    note(report(2, 3), 127);

    assertThat(window().orElseThrow().rowsPerSecond()).isCloseTo(90, within(0.01));
    assertThat(window().orElseThrow().millis()).isEqualTo(2000);
  }

  @Test
  void tasks_beyondTheBound_areLeftOut_untilOthersEnd() {
    for (int i = 0; i <= StageReports.MAX_STAGES / 2; i++) {
      note(report(1, 2).setTaskId(10_000 + i), 102);
    }
    note(report(1, 2), 102);
    assertThat(reports.of(10_000)).isPresent();
    assertThat(reports.of(TASK)).isEmpty();

    reports.forget(10_000);
    note(report(1, 2), 102);

    assertThat(reports.of(TASK)).isPresent();
  }

  @Test
  void malformedReports_areRefused() {
    TaskStages.Builder many = report(1, 2);
    for (int i = 0; i < 64; i++) {
      many.addStages(StageSums.newBuilder().setConsumer(0));
    }
    TaskStages.Builder beforeItsConsumer = report(1, 2);
    beforeItsConsumer.getStagesBuilder(1).setConsumer(1);
    TaskStages.Builder longName = report(1, 2);
    longName.getStagesBuilder(1).setName("x".repeat(300));

    assertThatThrownBy(() -> note(many, 102))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("may have 64");
    assertThatThrownBy(() -> note(beforeItsConsumer, 102))
        .hasMessageContaining("stage 1 of task 4000 must follow its consumer");
    assertThatThrownBy(() -> note(longName, 102)).hasMessageContaining("at most 256");
    assertThat(window()).isEmpty();
  }

  @Test
  void sumsThatRunBackwards_areNotNegative() {
    note(report(1, 10), 110);
    TaskStages.Builder odd = report(1, 11);
    odd.getStagesBuilder(0).setRows(0).setBusyMicros(-5).setStarvedMicros(Long.MIN_VALUE);
    note(odd, 111);
    note(report(1, 12).setBuffer(BufferSums.newBuilder().setRows(-7)), 122);
    note(odd.setElapsedMicros(TimeUnit.SECONDS.toMicros(24)), 124);

    StageLoad map = window().orElseThrow().stages().getFirst();

    assertThat(map.busy() + map.starved() + map.blocked()).isCloseTo(1, within(1e-9));
    assertThat(map.busy()).isBetween(0.0, 1.0);
    assertThat(map.rowsPerSecond()).isNotNegative();
  }
}

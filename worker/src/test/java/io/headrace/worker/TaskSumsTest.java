package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.BufferSums;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TaskSumsTest {
  private static TaskStages task(String stage) {
    return TaskStages.newBuilder()
        .setBuffer(BufferSums.newBuilder().setRows(10).setBytes(80).setEmptyMicros(500_000).build())
        .addStages(
            StageSums.newBuilder()
                .setName(stage)
                .setRows(10)
                .setBusyMicros(2_000_000)
                .setStarvedMicros(250_000))
        .build();
  }

  @Test
  void stagesOfAName_areOne() {
    TaskSums sums = new TaskSums();
    sums.add(task("Map"));
    sums.add(task("Map"));

    WorkerCounts counts = sums.counts(true, 2, 0);

    assertThat(counts.rows()).isEqualTo(20);
    assertThat(counts.bytes()).isEqualTo(160);
    assertThat(counts.emptySeconds()).isEqualTo(1);
    assertThat(counts.stages()).isEqualTo(Map.of("Map", new WorkerCounts.OfStage(20, 4, 0.5)));
  }

  @Test
  void copy_isOnItsOwn() {
    TaskSums sums = new TaskSums();
    sums.add(task("Map"));
    TaskSums copy = new TaskSums(sums);
    copy.add(task("Map"));

    assertThat(sums.counts(true, 1, 0).rows()).isEqualTo(10);
    assertThat(copy.counts(true, 1, 0).rows()).isEqualTo(20);
  }

  @Test
  void stagesOfMoreNamesThanThereIsRoomFor_haveNoSums() {
    TaskSums sums = new TaskSums();
    for (int i = 0; i <= TaskSums.MAX_STAGES; i++) {
      sums.add(task("Map" + i));
    }

    WorkerCounts counts = sums.counts(true, 1, 0);

    assertThat(counts.stages()).hasSize(TaskSums.MAX_STAGES);
    assertThat(counts.rows()).isEqualTo(10L * (TaskSums.MAX_STAGES + 1));
  }
}

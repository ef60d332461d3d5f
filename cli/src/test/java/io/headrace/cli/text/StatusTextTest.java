package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.SnapshotStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The text of a status, as far as no command prints it in a test. */
final class StatusTextTest {
  private static List<String> lines(GetStatusResponse.Builder status) {
    return new StatusText(status.build(), 20, Optional.empty()).lines();
  }

  @Test
  void snapshots_thatFailed_comeFirst() {
    SnapshotStatus.Builder snapshot = SnapshotStatus.newBuilder().setStreams(2).setSplits(70);
    GetStatusResponse.Builder status =
        GetStatusResponse.newBuilder()
            .setDispatcher(DispatcherStatus.newBuilder().setSnapshots(2))
            .addSnapshots(
                snapshot
                    .setPath("/data/whole")
                    .setStreamsDone(2)
                    .setState(SnapshotStatus.State.DONE)
                    .build())
            .addSnapshots(
                snapshot
                    .setPath("/data/half")
                    .setStreamsDone(1)
                    .setState(SnapshotStatus.State.FAILED)
                    .setErrorCode(8)
                    .setErrorMessage("the disk is full")
                    .build());

    assertThat(lines(status))
        .endsWith(
            "snapshots: 2",
            "SNAPSHOT     STATE   STREAMS  SPLITS  ERROR",
            "/data/half   failed      1/2      70  RESOURCE_EXHAUSTED: the disk is full",
            "/data/whole  done        2/2      70  -");
  }

  @Test
  void passThatWaitsForReaders_hasALineWithTheirNumbers() {
    GetStatusResponse.Builder status =
        GetStatusResponse.newBuilder()
            .setDispatcher(DispatcherStatus.newBuilder().setJobs(1))
            .addJobs(
                JobStatus.newBuilder()
                    .setId(5000)
                    .setName("epochs")
                    .addIterations(
                        IterationStatus.newBuilder()
                            .setRepetition(1)
                            .setAwaitsReaders(true)
                            .setAwaitedReaders(4)
                            .setJoinedReaders(2)
                            .addMissingReaders(1)
                            .addMissingReaders(3)
                            .setAwaitsMs(35_000)));

    assertThat(lines(status))
        .contains(
            "job 5000, repetition 1: waits for readers 1, 3 of 4, 35 s since the last one joined");
  }

  @Test
  void withoutSnapshots_nothingIsSaidOfThem() {
    assertThat(lines(GetStatusResponse.newBuilder())).noneMatch(line -> line.contains("snapshot"));
  }
}

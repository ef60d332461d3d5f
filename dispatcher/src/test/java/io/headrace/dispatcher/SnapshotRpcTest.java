package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementSpecs;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotSplitResponse;
import io.headrace.proto.data.GetSnapshotStreamsRequest;
import io.headrace.proto.data.SnapshotRequest;
import io.headrace.proto.data.SnapshotStreamInfo;
import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.SnapshotStatus;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.tensorflow.StatusProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Distributed snapshots by TensorFlow's calls, and the files of the dispatcher. */
final class SnapshotRpcTest {
  private static final DispatcherConfig CONFIG =
      DispatcherConfig.builder().workDir("/none").faultTolerantMode(true).build();

  @TempDir private Path folder;
  private TestDispatcher dispatcher = new TestDispatcher(CONFIG);
  private TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private void restart() {
    dispatcher.close();
    dispatcher = new TestDispatcher(CONFIG, dispatcher.memory().reopen());
    peers = new TestPeers(dispatcher);
    dispatcher.network().start("w:1");
    dispatcher.network().start("w:2");
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private void save(String name, Dataset dataset) {
    var _ =
        dispatcher
            .stub()
            .snapshot(
                SnapshotRequest.newBuilder()
                    .setPath(path(name))
                    .setDataset(DatasetDef.newBuilder().setGraph(dataset.toGraphDef()))
                    .setMetadata(
                        DistributedSnapshotMetadata.newBuilder()
                            .setElementSpec(ElementSpecs.write(dataset.structure())))
                    .build());
  }

  /** The streams of a worker of Headrace, which is started. */
  private List<SnapshotTaskDef> streamsOfOurs(String worker, SnapshotTaskProgress... progress) {
    WorkerHeartbeatRequest.Builder report = TestDispatcher.report(worker).toBuilder();
    for (SnapshotTaskProgress of : progress) {
      report.putSnapshotTaskProgress(of.getSnapshotTask().getBasePath(), of);
    }
    return dispatcher
        .extensions()
        .extendedWorkerHeartbeat(
            ExtendedWorkerHeartbeatRequest.newBuilder()
                .setHeartbeat(report)
                .setIncarnation(worker.hashCode())
                .setTracksOrigins(true)
                .build())
        .getSnapshotTasksList();
  }

  private List<SnapshotTaskDef> streams(String worker, SnapshotTaskProgress... progress) {
    WorkerHeartbeatRequest.Builder report = TestDispatcher.report(worker).toBuilder();
    for (SnapshotTaskProgress of : progress) {
      report.putSnapshotTaskProgress(of.getSnapshotTask().getBasePath(), of);
    }
    return dispatcher.stub().workerHeartbeat(report.build()).getSnapshotTasksList();
  }

  private static SnapshotTaskProgress done(SnapshotTaskDef task) {
    return SnapshotTaskProgress.newBuilder().setSnapshotTask(task).setCompleted(true).build();
  }

  private GetSnapshotSplitResponse split(String worker, long stream, long repetition) {
    return dispatcher
        .stub()
        .getSnapshotSplit(
            GetSnapshotSplitRequest.newBuilder()
                .setWorkerAddress(worker)
                .setBasePath(path("a"))
                .setStreamIndex(stream)
                .setRepetitionIndex(repetition)
                .build());
  }

  private static long value(GetSnapshotSplitResponse split) {
    return TensorProtos.read(split.getSplit()).integer(0);
  }

  @Test
  void snapshot_ofADataset_isGivenToEachWorkerOnce() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(5));

    assertThat(streams("w:1")).extracting(SnapshotTaskDef::getStreamIndex).containsExactly(0L);
    assertThat(streams("w:2")).extracting(SnapshotTaskDef::getStreamIndex).containsExactly(1L);
    assertThat(streams("w:1"))
        .containsExactly(
            SnapshotTaskDef.newBuilder()
                .setBasePath(path("a"))
                .setNumSources(1)
                .setMetadata(
                    DistributedSnapshotMetadata.newBuilder()
                        .setElementSpec(ElementSpecs.write(Dataset.range(5).structure())))
                .build());
    assertThat(folder.resolve("a/streams/stream_1/owner_worker")).hasContent("w:2");
  }

  @Test
  void splits_ofASource_areGivenOnce_andWritten() throws IOException {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(3));
    streams("w:1");
    streams("w:2");

    assertThat(value(split("w:1", 0, 0))).isZero();
    assertThat(value(split("w:2", 1, 0))).isEqualTo(1);
    GetSnapshotSplitResponse third = split("w:1", 0, 0);
    assertThat(value(third)).isEqualTo(2);
    assertThat(third.getLocalSplitIndex()).isEqualTo(1);
    GetSnapshotSplitResponse end = split("w:1", 0, 0);
    assertThat(end.getEndOfSplits()).isTrue();
    assertThat(end.getLocalSplitIndex()).isEqualTo(2);
    assertThat(splitFiles())
        .containsExactly("stream_0/split_0_0", "stream_0/split_1_2", "stream_1/split_0_1");
  }

  private List<String> splitFiles() throws IOException {
    List<String> names = new ArrayList<>();
    try (var files = Files.walk(folder.resolve("a/streams"))) {
      files
          .filter(file -> file.getFileName().toString().startsWith("split_"))
          .sorted()
          .forEach(file ->
              names.add(
                  folder.resolve("a/streams").relativize(file).getName(0)
                      + "/"
                      + file.getFileName()));
    }
    return names;
  }

  private GetStatusResponse status() {
    return dispatcher.admin().getStatus(GetStatusRequest.getDefaultInstance());
  }

  @Test
  void status_tellsOfEachSnapshot() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(2));
    SnapshotTaskDef first = streams("w:1").getFirst();
    SnapshotTaskDef second = streams("w:2").getFirst();
    assertThat(value(split("w:1", 0, 0))).isZero();
    SnapshotStatus writing =
        SnapshotStatus.newBuilder()
            .setPath(path("a"))
            .setState(SnapshotStatus.State.WRITING)
            .setStreams(2)
            .setSplits(1)
            .build();
    assertThat(status().getSnapshotsList()).containsExactly(writing);

    assertThat(value(split("w:2", 1, 0))).isEqualTo(1);
    streams("w:1", done(first));
    SnapshotStatus almost = writing.toBuilder().setStreamsDone(1).setSplits(2).build();
    assertThat(status().getSnapshotsList()).containsExactly(almost);
    streams("w:2", done(second));
    SnapshotStatus whole =
        almost.toBuilder().setStreamsDone(2).setState(SnapshotStatus.State.DONE).build();
    assertThat(status().getSnapshotsList()).containsExactly(whole);

    save("b", Dataset.range(2));
    StatusProto full =
        StatusProto.newBuilder()
            .setCodeValue(StatusCode.RESOURCE_EXHAUSTED.number())
            .setMessage("full")
            .build();
    streams(
        "w:1",
        SnapshotTaskProgress.newBuilder()
            .setSnapshotTask(streams("w:1").getFirst())
            .setStatus(full)
            .build());
    restart();
    assertThat(status().getSnapshotsList())
        .containsExactly(
            whole,
            SnapshotStatus.newBuilder()
                .setPath(path("b"))
                .setState(SnapshotStatus.State.FAILED)
                .setStreams(1)
                .setErrorCode(8)
                .setErrorMessage("full")
                .build());
    assertThat(status().getDispatcher().getSnapshots()).isEqualTo(2);
  }

  @Test
  void splits_ofALaterRepetition_beginAnew() {
    dispatcher.startWorker("w:1");
    save("a", Dataset.range(2).repeat(2));
    streams("w:1");

    assertThat(value(split("w:1", 0, 0))).isZero();
    assertThat(value(split("w:1", 0, 0))).isEqualTo(1);
    assertThat(value(split("w:1", 0, 1))).isZero();
    assertThat(split("w:1", 0, 0).getEndOfSplits()).isTrue();
    assertThat(folder.resolve("a/streams/stream_0/splits/source_0/repetition_1/split_2_2"))
        .exists();
  }

  @Test
  void splits_overARestart_goOn_andOneWithoutAFileIsToldAgain() throws IOException {
    dispatcher.startWorker("w:1");
    save("a", Dataset.range(3));
    streams("w:1");
    assertThat(value(split("w:1", 0, 0))).isZero();
    Files.delete(folder.resolve("a/streams/stream_0/splits/source_0/repetition_0/split_0_0"));
    List<JournalRecord> before = dispatcher.snapshot();

    restart();

    assertThat(dispatcher.snapshot()).isEqualTo(before);
    assertThat(streams("w:1")).hasSize(1);
    assertThat(value(split("w:1", 0, 0))).isZero();
    assertThat(value(split("w:1", 0, 0))).isEqualTo(1);
    assertThat(splitFiles()).containsExactly("stream_0/split_0_0", "stream_0/split_1_1");
  }

  @Test
  void splits_ofALargeSource_areTakenManyAtATime_andToldOnce_overARestart() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(1000));
    streams("w:1");
    streams("w:2");
    List<Long> told = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      assertThat(split("w:1", 0, 0).getLocalSplitIndex()).isEqualTo(i);
    }
    told.add(value(split("w:2", 1, 0)));
    assertThat(told).containsExactly(128L);
    List<JournalRecord> before = dispatcher.snapshot();
    told.add(value(split("w:2", 1, 0)));
    assertThat(dispatcher.snapshot()).isEqualTo(before);
    restart();
    streams("w:1");
    streams("w:2");

    assertThat(value(split("w:1", 0, 0))).isEqualTo(100);
    assertThat(value(split("w:2", 1, 0))).isEqualTo(130);
    long rest = 1000 - 101 - 3;
    for (GetSnapshotSplitResponse next = split("w:1", 0, 0);
        !next.getEndOfSplits();
        next = split("w:1", 0, 0)) {
      rest--;
    }
    for (GetSnapshotSplitResponse next = split("w:2", 1, 0);
        !next.getEndOfSplits();
        next = split("w:2", 1, 0)) {
      rest--;
    }
    assertThat(rest).isZero();
  }

  @Test
  void snapshot_whoseStreamsAreDone_isDone() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(3));
    SnapshotTaskDef first = streams("w:1").getFirst();
    SnapshotTaskDef second = streams("w:2").getFirst();

    assertThat(streams("w:1", done(first))).isEmpty();
    assertThat(folder.resolve("a/DONE")).doesNotExist();
    assertThat(
            dispatcher
                .stub()
                .getSnapshotStreams(
                    GetSnapshotStreamsRequest.newBuilder().setPath(path("a")).build())
                .getStreamsList())
        .extracting(SnapshotStreamInfo::getState)
        .containsExactly(SnapshotStreamInfo.State.DONE, SnapshotStreamInfo.State.ASSIGNED);
    assertThat(streams("w:2", done(second))).isEmpty();
    assertThat(folder.resolve("a/DONE")).exists();
  }

  @Test
  void snapshot_withADoneStream_getsNoMore() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(3));
    save("b", Dataset.range(3));
    List<SnapshotTaskDef> ofFirst = streams("w:1");
    SnapshotTaskDef a =
        ofFirst.stream()
            .filter(task -> task.getBasePath().equals(path("a")))
            .findFirst()
            .orElseThrow();

    streams("w:1", done(a));

    assertThat(streams("w:2")).extracting(SnapshotTaskDef::getBasePath).containsExactly(path("b"));
  }

  @Test
  void snapshot_whoseStreamFails_isGivenUp_overARestart() throws IOException {
    dispatcher.startWorker("w:1");
    save("a", Dataset.range(3));
    SnapshotTaskDef task = streams("w:1").getFirst();
    StatusProto full =
        StatusProto.newBuilder()
            .setCodeValue(StatusCode.RESOURCE_EXHAUSTED.number())
            .setMessage("full")
            .build();

    assertThat(
            streams(
                "w:1",
                SnapshotTaskProgress.newBuilder().setSnapshotTask(task).setStatus(full).build()))
        .isEmpty();
    Files.delete(folder.resolve("a/ERROR"));
    restart();

    assertThat(folder.resolve("a/ERROR")).content().contains("RESOURCE_EXHAUSTED").contains("full");
    assertThat(streams("w:1")).isEmpty();
  }

  @Test
  void progress_ofAnothersStream_isIgnored() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(3));
    SnapshotTaskDef first = streams("w:1").getFirst();
    streams("w:2");

    streams("w:2", done(first));

    assertThat(streams("w:1")).hasSize(1);
    assertThat(streams("w:2")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void worker_writesNoMoreAtATimeThanTheConfigSays(int most) {
    dispatcher.close();
    dispatcher =
        new TestDispatcher(
            most == 3 ? CONFIG : CONFIG.toBuilder().workerMaxConcurrentSnapshots(most).build());
    dispatcher.startWorker("w:1");
    for (String name : List.of("a", "b", "c", "d")) {
      save(name, Dataset.range(3));
    }
    for (int heartbeat = 1; heartbeat <= 4; heartbeat++) {
      assertThat(streams("w:1")).hasSize(Math.min(heartbeat, most));
    }
    SnapshotTaskDef one = streams("w:1").getFirst();

    assertThat(streams("w:1", done(one))).hasSize(most).doesNotContain(one);
  }

  @Test
  void stream_ofALostWorkerOfOurs_isAnothers_overARestart() {
    peers.start("w:1");
    peers.start("w:2");
    save("a", Dataset.range(3));
    SnapshotTaskDef first = streamsOfOurs("w:1").getFirst();
    assertThat(streamsOfOurs("w:2", done(streamsOfOurs("w:2").getFirst()))).isEmpty();
    assertThat(streamsOfOurs("w:2")).isEmpty();
    assertThat(value(split("w:1", 0, 0))).isZero();
    dispatcher.network().hurried().clear();

    peers.lose("w:1");

    assertThat(dispatcher.network().hurried()).containsExactly("w:2");
    assertThat(streamsOfOurs("w:2")).containsExactly(first);
    assertThat(folder.resolve("a/streams/stream_0/owner_worker")).hasContent("w:2");
    restart();
    assertThat(streamsOfOurs("w:2")).containsExactly(first);
    GetSnapshotSplitResponse next = split("w:2", 0, 0);
    assertThat(value(next)).isEqualTo(1);
    assertThat(next.getLocalSplitIndex()).isEqualTo(1);
    assertThat(streamsOfOurs("w:1")).isEmpty();
    assertFails(StatusCode.INTERNAL, () -> split("w:1", 0, 0))
        .hasMessageContaining("no longer available");
    assertThat(streamsOfOurs("w:2", done(first))).isEmpty();
    assertThat(folder.resolve("a/DONE")).exists();
  }

  @Test
  void stream_ofAWorkerOfOursThatLeaves_isAnothers() {
    peers.start("w:1");
    save("a", Dataset.range(3));
    SnapshotTaskDef first = streamsOfOurs("w:1").getFirst();
    peers.start("w:2");

    var _ =
        dispatcher
            .extensions()
            .leaveWorker(
                LeaveWorkerRequest.newBuilder()
                    .setWorkerAddress("w:1")
                    .setIncarnation("w:1".hashCode())
                    .build());

    assertThat(streamsOfOurs("w:2")).extracting(SnapshotTaskDef::getStreamIndex).contains(1L);
    assertThat(streamsOfOurs("w:2", done(first.toBuilder().setStreamIndex(1).build()))).isEmpty();
    assertThat(streamsOfOurs("w:2")).containsExactly(first);
  }

  @Test
  void stream_ofALostStockWorker_waitsForIt() {
    dispatcher.startWorker("w:1");
    peers.start("w:2");
    save("a", Dataset.range(3));
    streams("w:1");
    SnapshotTaskDef second = streamsOfOurs("w:2").getFirst();

    peers.lose("w:1");

    assertThat(streamsOfOurs("w:2", done(second))).isEmpty();
    assertThat(streamsOfOurs("w:2")).isEmpty();
    dispatcher.startWorker("w:1");
    assertThat(streams("w:1")).hasSize(1);
  }

  @Test
  void workers_areToldOfANewSnapshotAtOnce() {
    peers.start("w:1");
    dispatcher.startWorker("w:2");

    save("a", Dataset.range(3));

    assertThat(dispatcher.network().hurried()).containsExactly("w:1");
  }

  @Test
  void drainedWorker_getsNoStream() {
    peers.start("w:1");
    var _ =
        dispatcher
            .admin()
            .drainWorker(DrainWorkerRequest.newBuilder().setWorkerAddress("w:1").build());
    save("a", Dataset.range(3));

    assertThat(streamsOfOurs("w:1")).isEmpty();
  }

  @Test
  void split_ofAStreamOfAnother_isRefused() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    save("a", Dataset.range(3));
    streams("w:1");

    assertFails(StatusCode.INTERNAL, () -> split("w:2", 0, 0))
        .hasMessageContaining("no longer available");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                dispatcher
                    .stub()
                    .getSnapshotStreams(
                        GetSnapshotStreamsRequest.newBuilder().setPath("/x").build()))
        .hasMessageContaining("does not know of a snapshot at /x");
  }

  @Test
  void snapshot_ofAnUnsplittableDataset_isRefused_andLeavesNothing() {
    Dataset loaded = Dataset.textLines("/a.txt");

    assertFails(StatusCode.UNIMPLEMENTED, () -> save("a", loaded))
        .hasMessageContaining("split providers");
    assertThat(folder.resolve("a")).doesNotExist();
  }

  @Test
  void snapshot_onAnotherFileSystem_isRefused() {
    SnapshotRequest request =
        SnapshotRequest.newBuilder()
            .setPath("s3://bucket/a")
            .setDataset(DatasetDef.newBuilder().setGraph(Dataset.range(3).toGraphDef()))
            .build();

    assertFails(StatusCode.UNIMPLEMENTED, () -> dispatcher.stub().snapshot(request))
        .hasMessageContaining("s3://");
  }
}

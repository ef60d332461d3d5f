package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.headrace.PendingChunk;
import io.headrace.proto.headrace.StreamCheckpoint;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits of streams, cut short anywhere, and by processes that have lost their stream. */
final class StreamFilesTest {
  @TempDir private Path folder;

  private StreamFiles files() {
    return new StreamFiles(folder.toString(), 0);
  }

  private Path stream(String name) {
    return folder.resolve("streams/stream_0").resolve(name);
  }

  private List<String> chunks() throws IOException {
    try (Stream<Path> chunks = Files.list(folder.resolve("chunks"))) {
      return chunks.map(chunk -> chunk.getFileName().toString()).sorted().toList();
    }
  }

  /** A checkpoint with the records up to {@code number}, and one chunk, which is written. */
  private static StreamCheckpoint chunk(StreamFiles files, long number, String content)
      throws IOException {
    String file = "chunk_%d_%s".formatted(number, content);
    Files.writeString(Path.of(files.uncommitted(file)), content);
    RecordSet records = new RecordSet();
    records.completeGroups(0, 0, number + 1);
    return StreamCheckpoint.newBuilder()
        .setRecords(records.toProto())
        .addChunks(
            PendingChunk.newBuilder().setFile(file).setName("chunk_0_%d_1".formatted(number)))
        .setNumChunks(number + 1)
        .build();
  }

  private static void assertFails(StatusCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).as(e.message()).isEqualTo(code));
  }

  @Test
  void open_ofNothing_beginsAnew() {
    assertThat(files().open()).isEqualTo(StreamCheckpoint.getDefaultInstance());
  }

  @Test
  void open_afterCommits_goesOnBehindThem_andDeletesTheRest() throws IOException {
    StreamFiles before = files();
    before.open();
    for (long number = 0; number < 10; number++) {
      before.commit(chunk(before, number, "a"));
    }
    var _ = chunk(before, 10, "lost");

    StreamCheckpoint last = files().open();

    assertThat(last.getNumChunks()).isEqualTo(10);
    assertThat(RecordSet.of(last.getRecords()).completeGroups(0).size()).isEqualTo(10);
    assertThat(chunks()).hasSize(10);
    assertThat(stream("uncommitted_chunks")).isEmptyDirectory();
    assertThat(stream("checkpoints")).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void open_afterAKillBetweenCheckpointAndRename_commits() throws IOException {
    StreamFiles before = files();
    before.open();
    before.commit(chunk(before, 0, "a"));
    Files.move(folder.resolve("chunks/chunk_0_0_1"), Path.of(before.uncommitted("chunk_0_a")));

    assertThat(files().open().getNumChunks()).isEqualTo(1);

    assertThat(chunks()).containsExactly("chunk_0_0_1");
  }

  @Test
  void open_withoutACommittedChunk_isDataLoss() throws IOException {
    StreamFiles before = files();
    before.open();
    before.commit(chunk(before, 0, "a"));
    Files.delete(folder.resolve("chunks/chunk_0_0_1"));

    assertFails(StatusCode.DATA_LOSS, () -> files().open());
  }

  @Test
  void commit_ofAProcessThatLostTheStream_isRefused() throws IOException {
    StreamFiles lost = files();
    lost.open();
    lost.commit(chunk(lost, 0, "a"));
    StreamCheckpoint late = chunk(lost, 1, "late");

    StreamFiles next = files();
    assertThat(next.open().getNumChunks()).isEqualTo(1);

    assertThat(lost.isSuperseded()).isTrue();
    assertFails(StatusCode.ABORTED, () -> lost.commit(late));
    next.commit(chunk(next, 1, "b"));
    assertThat(folder.resolve("chunks/chunk_0_1_1")).hasContent("b");
    assertThat(next.isSuperseded()).isFalse();
  }

  @Test
  void commit_farBehind_isRefused_thoughItsNumberIsFreeAgain() throws IOException {
    StreamFiles lost = files();
    lost.open();
    StreamFiles next = files();
    next.open();
    for (long number = 0; number < 9; number++) {
      next.commit(chunk(next, number, "b"));
    }

    StreamCheckpoint late = chunk(lost, 0, "late");
    assertFails(StatusCode.ABORTED, () -> lost.commit(late));

    assertThat(folder.resolve("chunks/chunk_0_0_1")).hasContent("b");
    assertThat(files().open().getNumChunks()).isEqualTo(9);
  }

  @Test
  void commit_beforeTheNextProcessOpens_isItsStart() throws IOException {
    StreamFiles lost = files();
    lost.open();
    lost.commit(chunk(lost, 0, "a"));

    assertThat(files().open().getNumChunks()).isEqualTo(1);
    assertThat(chunks()).containsExactly("chunk_0_0_1");
  }

  @Test
  void finish_leavesNoCheckpoints_andNobodyCommitsAgain() throws IOException {
    StreamFiles lost = files();
    lost.open();
    StreamFiles next = files();
    next.open();
    next.finish();

    assertThat(next.isDone()).isTrue();
    assertThat(stream("checkpoints")).doesNotExist();
    assertThat(stream("uncommitted_chunks")).doesNotExist();
    assertThat(lost.isSuperseded()).isTrue();
  }

  @Test
  void open_overATensorFlowCheckpoint_isRefusedByItsName() throws IOException {
    Files.createDirectories(stream("checkpoints"));
    Files.writeString(stream("checkpoints/checkpoint_3_10"), "of another kind");

    assertFails(StatusCode.FAILED_PRECONDITION, () -> files().open());
    assertThatThrownBy(() -> files().open()).hasMessageContaining("checkpoint_3_10");
    assertThat(files().isSuperseded()).isFalse();
  }

  @Test
  void open_overADamagedCheckpoint_isDataLoss() throws IOException {
    StreamFiles before = files();
    before.open();
    Path checkpoint = stream("checkpoints/checkpoint_0_0");
    byte[] content = Files.readAllBytes(checkpoint);
    content[content.length - 1] ^= 1;
    Files.write(checkpoint, content);

    assertFails(StatusCode.DATA_LOSS, () -> files().open());
  }
}

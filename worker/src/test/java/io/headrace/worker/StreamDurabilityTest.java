package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.snapshot.ChunkFileWriter;
import io.headrace.dataset.file.FileCompression;
import io.headrace.dataset.file.RecordReader;
import io.headrace.dataset.file.TfRecords;
import io.headrace.proto.headrace.PendingChunk;
import io.headrace.proto.headrace.StreamCheckpoint;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of a snapshot on a disk whose power fails. */
final class StreamDurabilityTest {
  private static final String BASE = UnsyncedFiles.ROOT + "/snapshot";
  private static final int CHUNKS = 3;
  private static final int ROWS = 4;

  /** The chunks of whose commit the writer was told. */
  private int committed;

  /** A disk that has written no name by itself, and one that has written all, but no contents. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void powerThatFailsAtAnyStep_costsNoCommittedChunk(boolean keepsNames) {
    int steps = 0;
    while (failsAfter(steps, keepsNames)) {
      steps++;
    }
    assertThat(steps).as("steps of the stream").isGreaterThan(10 * CHUNKS);
  }

  /** Whether the stream had not come to its end after {@code steps}; it goes on in any case. */
  private boolean failsAfter(int steps, boolean keepsNames) {
    begin();
    UnsyncedFiles.failAfter(steps);
    try {
      write();
    } catch (StatusException e) {
      assertThat(UnsyncedFiles.powerHasFailed()).as(e.message()).isTrue();
    }
    boolean failed = UnsyncedFiles.powerHasFailed();

    UnsyncedFiles.restart(keepsNames);

    IntStream.range(0, committed).forEach(number -> assertWhole(number, steps));
    write();
    assertThat(DataFiles.names(BASE + "/chunks"))
        .as("after step %d", steps)
        .containsExactlyElementsOf(
            IntStream.range(0, CHUNKS).mapToObj(StreamDurabilityTest::name).toList());
    IntStream.range(0, CHUNKS).forEach(number -> assertWhole(number, steps));
    return failed;
  }

  /** Creates the folders that a dispatcher creates for a snapshot, on disk. */
  private void begin() {
    committed = 0;
    UnsyncedFiles.clear();
    DataFiles.createFolders(BASE + "/chunks");
    DataFiles.createFolders(BASE + "/streams");
    DataFiles.syncFolder(BASE);
    DataFiles.syncFolder(UnsyncedFiles.ROOT);
  }

  private static StreamFiles files() {
    return new StreamFiles(BASE, 0);
  }

  /** Writes the stream from its last checkpoint to its end. */
  private void write() {
    StreamFiles files = files();
    if (files.isDone()) {
      return;
    }
    StreamCheckpoint last = files.open();
    assertThat(last.getNumChunks()).isGreaterThanOrEqualTo(committed);
    for (int number = (int) last.getNumChunks(); number < CHUNKS; number++) {
      files.commit(chunk(files, number));
      committed = number + 1;
    }
    files.finish();
  }

  private static StreamCheckpoint chunk(StreamFiles files, int number) {
    String file = "chunk_%d__1.tfrecord".formatted(number);
    try (ChunkFileWriter writer =
        ChunkFileWriter.create(files.uncommitted(file), FileCompression.NONE)) {
      long[] values = IntStream.range(0, ROWS).mapToLong(row -> number + row).toArray();
      writer.write(Chunk.of(ROWS, List.of(new Column.Stacked(Tensor.vector(values)))));
      writer.commit();
    }
    return StreamCheckpoint.newBuilder()
        .addChunks(PendingChunk.newBuilder().setFile(file).setName(name(number)))
        .setNumChunks(number + 1)
        .setFinished(number + 1 == CHUNKS)
        .build();
  }

  private static String name(int number) {
    return "chunk_0_%d_%d".formatted(number, ROWS);
  }

  /** The chunk may have its name only once the stream is opened again. */
  private static void assertWhole(int number, int steps) {
    String named = BASE + "/chunks/" + name(number);
    String pending = files().uncommitted("chunk_%d__1.tfrecord".formatted(number));
    try (RecordReader records =
        TfRecords.open(DataFiles.exists(named) ? named : pending, FileCompression.NONE, 0)) {
      byte[][] read = new byte[ROWS + 1][];
      int count = 0;
      for (int more = 1; more > 0; count += more) {
        more = records.read(read, count, read.length - count);
      }
      assertThat(count).as("rows of chunk %d after step %d", number, steps).isEqualTo(ROWS);
    }
  }
}

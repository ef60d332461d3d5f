package io.headrace.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.TfRecordWriter;
import io.headrace.emulator.FakeGcsServer;
import io.headrace.gcs.GcsFileSystem;
import io.headrace.runtime.file.DataFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stock client whose files are in Google Cloud Storage (in the emulator), on our servers. */
final class ObjectsOfStockClientsTest {
  private static FakeGcsServer gcs;

  @TempDir private Path workDir;

  @BeforeAll
  static void startEmulator() throws IOException, InterruptedException {
    gcs = FakeGcsServer.start();
    System.setProperty(GcsFileSystem.ENDPOINT_PROPERTY, gcs.endpoint());
  }

  @AfterAll
  static void stopEmulator() {
    System.clearProperty(GcsFileSystem.ENDPOINT_PROPERTY);
    gcs.close();
  }

  private static void write(String folder) {
    StringBuilder numbers = new StringBuilder();
    for (int part = 0; part < 2; part++) {
      String file = "%s/part-%d.tfrecord".formatted(folder, part);
      try (TfRecordWriter writer = TfRecordWriter.create(file, Compression.NONE)) {
        for (int i = 20 * part; i < 20 * part + 20; i++) {
          writer.write(Integer.toString(i).getBytes(UTF_8));
          numbers.append("%3d".formatted(i));
        }
      }
    }
    DataFiles.write(folder + "/numbers.bin", numbers.toString().getBytes(UTF_8));
  }

  /** Writes what a client that reaches the bucket would: a description of the elements. */
  private static void writeSpecOf(String saved) {
    Dataset.range(1).save(saved + "_like_this");
    DataFiles.write(
        saved + "/dataset_spec.pb", DataFiles.read(saved + "_like_this/dataset_spec.pb"));
  }

  @Test
  void whatAStockClientReadsAndWrites_isInTheBucket() throws IOException, InterruptedException {
    String folder = "gs://" + gcs.newBucket() + "/data";
    write(folder);
    try (Servers servers = new Servers(Map.of(GcsFileSystem.EMULATOR_VARIABLE, gcs.endpoint()))) {
      String dispatcher = servers.startHeadraceDispatcher("--work-dir=" + workDir);
      servers.startHeadraceWorker(dispatcher);
      try (ManagedProcess client =
          ManagedProcess.start(
              "objects",
              StockTensorFlow.command("objects.py", "grpc://" + dispatcher, folder),
              StockTensorFlow.ENVIRONMENT)) {
        assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
      }
    }
    writeSpecOf(folder + "/saved_by_a_worker");
    assertThat(Dataset.load(folder + "/saved_by_a_worker", Compression.GZIP).stream())
        .extracting(Element::asLong)
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 40).boxed().toList());
    assertThat(DataFiles.names(folder)).contains("cached.index", "saved_by_a_worker", "snapshots");
  }
}

package com.example.howto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.client.ReadStatistics;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ImageFiles;
import io.headrace.dataset.ImageFolder;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs on a dispatcher and two workers of this process. */
@Timeout(60)
final class HowToTest {
  @TempDir private Path folder;
  private EmbeddedServers servers;

  @BeforeEach
  void start() {
    servers = new EmbeddedServers(folder.resolve("dispatcher"), 0, 2);
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private void writeImages(String name, int count, int value) throws IOException {
    Files.createDirectories(folder.resolve("photos").resolve(name));
    byte[] pixels = new byte[32 * 48 * 3];
    Arrays.fill(pixels, (byte) value);
    Tensor image = Tensor.of(DataType.UINT8, Shape.of(32, 48, 3), pixels);
    for (int i = 0; i < count; i++) {
      ImageFiles.write(file("photos/" + name + "/" + i + (i % 2 == 0 ? ".jpg" : ".png")), image);
    }
  }

  @Test
  void imageFolders_countsEveryImageOnce() throws IOException {
    writeImages("day", 21, 255);
    writeImages("night", 12, 0);

    Map<String, ImageFolders.Brightness> read =
        ImageFolders.brightness(ImageFolder.of(file("photos")), servers.target());

    assertEquals(List.of("day", "night"), List.copyOf(read.keySet()));
    assertEquals(21, read.get("day").images());
    assertEquals(12, read.get("night").images());
    assertEquals(1, read.get("day").mean(), 0.01);
    assertEquals(0, read.get("night").mean(), 0.01);
  }

  @Test
  void csvFiles_areSummedByCity() throws IOException {
    CsvFiles.write(
        file("a.csv"),
        List.of(new CsvFiles.Trip("Bern", 3, 2.5f), new CsvFiles.Trip("Basel, north", 1, 1)));
    CsvFiles.write(
        file("b.csv"),
        List.of(new CsvFiles.Trip("Bern", 4, 7), new CsvFiles.Trip("Bern", 90, 0.5f)));
    Files.writeString(folder.resolve("c.csv"), "city,passengers,distance\nBern,,30\n");

    assertEquals(
        Map.of("Bern", 8L, "Basel, north", 1L),
        CsvFiles.passengers(file("*.csv"), servers.target()));
  }

  @Test
  void csvFiles_withAnotherHeader_areRefused() throws IOException {
    Files.writeString(folder.resolve("a.csv"), "passengers,city,distance\n1,Bern,3\n");

    StatusException refusal =
        assertThrows(
            StatusException.class, () -> CsvFiles.passengers(file("a.csv"), servers.target()));

    assertTrue(refusal.getMessage().contains("passengers, city, distance"), refusal.getMessage());
  }

  @Test
  void tfRecordFiles_giveWhatWasWritten() {
    List<TfRecordFiles.Measurement> written =
        LongStream.range(0, 100)
            .mapToObj(i -> new TfRecordFiles.Measurement(i, new float[] {i, i + 0.5f, -i, 1}))
            .toList();
    TfRecordFiles.write(file("a.tfrecord"), written.subList(0, 70));
    TfRecordFiles.write(file("b.tfrecord"), written.subList(70, 100));

    float[][] read = new float[100][];
    TfRecordFiles.batches(file("*.tfrecord"), servers.target())
        .as(TfRecordFiles.Batch.class)
        .forEach(batch -> {
          for (int i = 0; i < batch.label().length; i++) {
            read[(int) batch.label()[i]] = batch.values()[i];
          }
        });

    for (int i = 0; i < 100; i++) {
      assertTrue(Arrays.equals(written.get(i).values(), read[i]), "measurement " + i);
    }
  }

  @Test
  void severalTrainers_shareEachRecordOnce() {
    List<Long> read = Collections.synchronizedList(new ArrayList<>());
    Dataset numbers = Dataset.range(5_000).batch(50);
    List<CompletableFuture<Void>> trainers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      trainers.add(
          CompletableFuture.runAsync(() ->
              SeveralTrainers.part(numbers, "epoch", servers.target(), new ReadStatistics())
                  .forEach(batch -> {
                    for (long value : batch.tensor().longs()) {
                      read.add(value);
                    }
                  })));
    }
    trainers.forEach(CompletableFuture::join);

    assertEquals(LongStream.range(0, 5_000).boxed().toList(), read.stream().sorted().toList());
  }

  @Test
  void resumedTraining_killedInTheMiddle_losesNoRecordAndRepeatsNone() throws Exception {
    Path checkpoint = folder.resolve("checkpoint");
    String count = "40000";
    Process first = training(checkpoint, count);
    while (first.isAlive() && (!Files.exists(checkpoint) || Files.size(checkpoint) < 16)) {
      first.waitFor(1, TimeUnit.MILLISECONDS);
    }
    first.destroyForcibly().waitFor(); // kill -9
    assertEquals(137, first.exitValue(), "it was killed before its end");

    Process second = training(checkpoint, count);
    String told = new String(second.getInputStream().readAllBytes());

    assertEquals(0, second.waitFor(), told);
    assertEquals("40000 records, sum 799980000", told.strip().lines().toList().getLast());
  }

  private Process training(Path checkpoint, String count) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            ResumedTraining.class.getName(),
            checkpoint.toString(),
            count,
            servers.target())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void embeddedServers_stopped_letJoinReturn() throws Exception {
    CompletableFuture<Void> joined =
        CompletableFuture.runAsync(() -> {
          try {
            servers.join();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });

    servers.close();

    joined.get(30, TimeUnit.SECONDS);
  }

  @Test
  void embeddedServers_startedAgain_knowTheJob() {
    ReadStatistics statistics = new ReadStatistics();
    Dataset numbers = Dataset.range(100);
    assertEquals(
        100, SeveralTrainers.part(numbers, "once", servers.target(), statistics).stream().count());
    servers.close();

    servers = new EmbeddedServers(folder.resolve("dispatcher"), 0, 1);

    assertEquals(
        0, SeveralTrainers.part(numbers, "once", servers.target(), statistics).stream().count());
  }
}

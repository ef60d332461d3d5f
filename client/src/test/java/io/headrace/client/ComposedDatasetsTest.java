package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Buckets;
import io.headrace.dataset.Csv;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.Field;
import io.headrace.dataset.ImageFolder;
import io.headrace.dataset.Resampling;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.graph.Images;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datasets composed of several ops, and of Headrace's own, are the same through a service. */
@Timeout(60)
@SuppressWarnings("ArrayRecordComponent") // as users' records may have
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class ComposedDatasetsTest {
  record Row(long id, String name, float[] scores) {}

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer first =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  private final WorkerServer second =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    first.close();
    second.close();
    dispatcher.close();
  }

  @BeforeEach
  void writeFiles() throws IOException {
    for (int file = 0; file < 3; file++) {
      StringBuilder json = new StringBuilder();
      StringBuilder csv = new StringBuilder("name,price,id\n");
      for (int i = 10 * file; i < 10 * file + 10; i++) {
        json.append(
            "{\"id\": %d, \"user\": {\"name\": \"n%d\"}, \"scores\": [%d, 0.5]}\n"
                .formatted(i, i, i));
        csv.append("n%d,%s,%d\n".formatted(i, i % 3 == 0 ? "" : i / 4.0, i));
      }
      Files.writeString(folder.resolve("rows-%d.jsonl".formatted(file)), json);
      Files.writeString(folder.resolve("rows-%d.csv".formatted(file)), csv);
    }
    for (String name : List.of("cats", "dogs")) {
      Files.createDirectories(folder.resolve("pets").resolve(name));
      for (int i = 0; i < 3; i++) {
        Files.write(folder.resolve("pets/%s/%d.png".formatted(name, i)), png(i));
      }
    }
  }

  /** A PNG of 2 x 3 pixels of the value {@code of}. */
  private static byte[] png(int of) {
    Tensor pixels =
        Tensor.of(DataType.UINT8, Shape.of(2, 3, 1), new byte[] {(byte) of, 1, 2, 3, 4, 5});
    return Dataset.tensors(pixels).map(Images::encodePng).iterator().next().tensor().string(0);
  }

  private Dataset dataset(String name) {
    String path = folder.resolve("rows-*").toString();
    Dataset numbers = Dataset.range(1, 40, 1);
    return switch (name) {
      case "json" ->
          Dataset.files(path + ".jsonl")
              .jsonLines(
                  Field.int64("id"),
                  Field.string("name").at("user.name"),
                  Field.float32("scores").list());
      case "csv" ->
          Dataset.files(path + ".csv")
              .csv(
                  Csv.of(Field.string("name"), Field.float32("price").orElse(-1), Field.int64("id"))
                      .withHeader());
      case "images" ->
          Dataset.images(ImageFolder.of(folder.resolve("pets").toString()).resized(4, 4)).batch(4);
      case "buckets" ->
          numbers
              .map(x -> Ops.range(x.floorMod(9)))
              .bucketBySequenceLength(
                  x -> x.output().shapeTensor().at(0),
                  Buckets.of(new long[] {3, 10}, new long[] {4, 3, 1}).padToBoundary());
      case "ragged" -> numbers.map(x -> Ops.range(x.floorMod(4))).raggedBatch(5);
      case "resampled" ->
          numbers.rejectionResample(
              x -> x.output().floorMod(5).less(1).cast(DataType.INT32),
              Resampling.to(0.5, 0.5).seed(4));
      case "strings" ->
          Dataset.files(path + ".csv")
              .lines()
              .map(line -> Strings.split(Strings.upper(line), ",").at(0));
      default -> throw new AssertionError(name);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "images", "buckets", "ragged", "resampled", "strings"})
  void read_throughAService_givesWhatALocalPassGives(String name) {
    List<String> alone = texts(dataset(name));

    assertThat(alone).isNotEmpty();
    assertThat(texts(distributed(dataset(name), ProcessingMode.PARALLEL_EPOCHS)))
        .containsExactlyInAnyOrderElementsOf(
            alone.stream().flatMap(text -> List.of(text, text).stream()).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "strings"})
  void filesReadTogether_areSplitAmongWorkers(String name) {
    assertThat(texts(distributed(dataset(name), ProcessingMode.DYNAMIC)))
        .containsExactlyInAnyOrderElementsOf(texts(dataset(name)));
  }

  @Test
  void as_ofADistributedDataset_readsRecords() {
    List<Row> rows =
        distributed(dataset("json"), ProcessingMode.DYNAMIC).as(Row.class).stream().toList();

    assertThat(rows.stream().map(Row::id))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 30).mapToObj(i -> (long) i).toList());
    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(row.name()).isEqualTo("n" + row.id());
          assertThat(row.scores()).containsExactly((float) row.id(), 0.5f);
        });
  }

  @Test
  void distribute_ofAnIterable_isInvalidArgumentThatSaysWhatToDo() {
    Dataset dataset =
        Dataset.range(2)
            .flatMap(_ -> Dataset.fromIterable(Row.class, List.of(new Row(1, "", new float[0]))));

    assertThatThrownBy(() -> distributed(dataset, ProcessingMode.PARALLEL_EPOCHS))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("distribute a dataset of files, or of tensors")
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void fromIterable_isJoinedBehindTheService() {
    Dataset numbers = distributed(Dataset.range(1), ProcessingMode.DYNAMIC);
    Dataset rows = Dataset.fromIterable(Row.class, List.of(new Row(7, "", new float[0])));

    Element joined = Dataset.zip(numbers, rows).iterator().next();
    assertThat(joined.get(0).asLong()).isZero();
    assertThat(joined.get(1).get("id").asLong()).isEqualTo(7);
  }

  private Dataset distributed(Dataset dataset, ProcessingMode mode) {
    return dataset.apply(DataService.distribute(mode, dispatcher.target()));
  }

  /** The elements as text. */
  private static List<String> texts(Dataset dataset) {
    return dataset.stream().map(Element::components).map(Object::toString).toList();
  }
}

package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The errors of functions name the record that they were called with. */
final class RecordOfAnErrorTest {
  private static final int RECORDS = 100;

  /** The record of each file, from 1, that is no number. */
  private static final int BAD = 41;

  @TempDir private Path folder;

  @BeforeEach
  void writeFiles() throws IOException {
    for (String file : List.of("a", "b")) {
      List<String> lines =
          new ArrayList<>(IntStream.rangeClosed(1, RECORDS).mapToObj(Integer::toString).toList());
      lines.set(BAD - 1, "bad " + file);
      Files.write(folder.resolve(file + ".txt"), lines);
      try (TfRecordWriter records = TfRecordWriter.create(file(file + ".tfrecord"))) {
        lines.forEach(line -> records.write(line.getBytes(UTF_8)));
      }
    }
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  /** Transformations between the records and the function that fails; none makes new rows. */
  static List<UnaryOperator<Dataset>> transformations() {
    return List.of(
        UnaryOperator.identity(),
        records -> records.shuffle(1000, 7),
        records -> records.filter(line -> Strings.matches(line, "[1-9].*|bad.*")),
        records -> records.map(line -> line).map(Strings::strip, Dataset.AUTOTUNE),
        records -> records.skip(2).take(2 * RECORDS).prefetch().cache().repeat(1),
        records -> Dataset.range(5).map(_ -> Strings.of(Ops.constant(0L))).concatenate(records),
        records -> records.enumerate(0).map((_, line) -> line));
  }

  @ParameterizedTest
  @MethodSource("transformations")
  void map_ofRecords_namesRecordAndFile(UnaryOperator<Dataset> between) {
    Map<String, Function<FileSet, Dataset>> readers =
        Map.of(".tfrecord", FileSet::records, ".txt", FileSet::lines);
    for (String kind : readers.keySet()) {
      Dataset records = readers.get(kind).apply(Dataset.files(file("*" + kind)));

      Dataset parsed = between.apply(records).map(line -> Strings.toNumber(line, DataType.INT64));
      List<String> failures = failuresOf(parsed);

      assertThat(failures).hasSize(2);
      for (String name : List.of("a", "b")) {
        assertThat(failures)
            .filteredOn(message -> message.contains("bad " + name))
            .singleElement()
            .asString()
            .containsPattern(
                "; the element is record 41 of %s: .*\"bad %s\""
                    .formatted(file(name + kind), name));
      }
    }
  }

  private static List<String> failuresOf(Dataset dataset) {
    List<String> failures = new ArrayList<>();
    ElementIterator elements = dataset.iterator();
    for (boolean more = true; more; ) {
      try {
        more = elements.hasNext();
        if (more) {
          var _ = elements.next();
        }
      } catch (StatusException e) {
        failures.add(e.message());
      }
    }
    return failures;
  }

  @Test
  void filter_ofCsv_namesRecordAndFile() throws IOException {
    Path csv = Files.writeString(folder.resolve("x.csv"), "id,name\n1,2\n\"3\",4\n5,six\n");
    Dataset rows =
        Dataset.files(csv.toString())
            .csv(Csv.of(Field.int64("id"), Field.string("name")).withHeader())
            .filterElement(
                row -> Strings.toNumber(row.get("name").output(), DataType.INT64).greater(0L));

    assertThatThrownBy(() -> rows.stream().toList())
        .hasMessageEndingWith("; the element is record 3 of " + csv + ": (5, \"six\")");
  }

  @Test
  void map_ofFileNames_tellsTheName() throws IOException {
    Path photos = Files.createDirectory(folder.resolve("cats"));
    Files.writeString(photos.resolve("no image.jpg"), "nothing");

    assertThatThrownBy(() -> Dataset.images(ImageFolder.of(folder.toString())).stream().toList())
        .hasMessageEndingWith("; the element is \"%s\"".formatted(photos.resolve("no image.jpg")));
  }

  @Test
  void map_ofNumbers_tellsTheirValues() {
    Dataset divided = Dataset.range(3).enumerate(5).map((b, a) -> b.floorDiv(a));

    assertThatThrownBy(() -> divided.stream().toList())
        .hasMessageEndingWith("; the element is (5, 0)");
  }

  @Test
  void map_ofLongValues_doesNotTellThem() {
    Dataset batches = Dataset.range(100).batch(100).map(x -> x.floorDiv(x));

    assertThatThrownBy(() -> batches.stream().toList()).hasMessageNotContaining("the element is");
  }
}

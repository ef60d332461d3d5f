package io.headrace.interop;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Csv;
import io.headrace.dataset.CsvWriter;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.Example;
import io.headrace.dataset.Field;
import io.headrace.dataset.ImageFiles;
import io.headrace.dataset.TfRecordWriter;
import io.headrace.runtime.graph.Images;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Ops.Feature;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.Strings;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Files that the writers of the Java API write, as datasets that both sides read. */
final class JavaWrittenFiles {
  private static final Csv ROWS =
      Csv.of(Field.int64("id"), Field.float32("third"), Field.string("text")).withHeader();

  private JavaWrittenFiles() {}

  static void addTo(JavaDatasets all) {
    for (Compression compression : List.of(Compression.NONE, Compression.GZIP, Compression.ZLIB)) {
      String name = "written_" + compression.name().toLowerCase(Locale.ROOT);
      addExamples(all, name, compression);
      addRows(all, name, compression);
    }
    addImages(all);
  }

  /** Maps of a number, its third, and a text that CSV quotes. */
  private static Dataset rows() {
    return Dataset.range(20)
        .map(x ->
            Map.of(
                "id", x.sub(5),
                "third", x.cast(DataType.FLOAT32).div(3),
                "text", text(x.asString())));
  }

  private static Output text(Output number) {
    return Strings.join(List.of(number, Ops.constant("\"a\", b\n"), number), "");
  }

  private static void addExamples(JavaDatasets all, String name, Compression compression) {
    String file = all.file(name + ".tfrecord");
    try (TfRecordWriter writer = TfRecordWriter.create(file, compression)) {
      for (Element row : rows()) {
        writer.write(Example.of(row));
      }
    }
    all.add(
        name + "_examples",
        Dataset.tfRecord(compression, file)
            .map(record ->
                Ops.parseExample(
                    record,
                    List.of(
                        Feature.list("id", DataType.INT64),
                        Feature.scalar("third", DataType.FLOAT32),
                        Feature.scalar("text", DataType.STRING),
                        Feature.scalar("none", DataType.INT64).orElse(Tensor.scalar(7L))))));
    all.add(
        name + "_examples_in_batches",
        Dataset.tfRecord(compression, file)
            .batch(6)
            .map(batch ->
                Ops.parseExample(
                    batch,
                    List.of(
                        Feature.list("id", DataType.INT64),
                        Feature.list("none", DataType.STRING)))));
  }

  private static void addRows(JavaDatasets all, String name, Compression compression) {
    String file = all.file(name + ".csv");
    Csv format = ROWS.compressed(compression);
    try (CsvWriter writer = CsvWriter.create(file, format)) {
      rows().forEach(writer::write);
    }
    all.add(name + "_csv", Dataset.csv(format, file));
  }

  private static void addImages(JavaDatasets all) {
    byte[] pixels = new byte[24 * 17 * 3];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (byte) (i / 5);
    }
    Tensor image = Tensor.of(DataType.UINT8, Shape.of(24, 17, 3), pixels);
    for (String file : List.of("written.png", "written.jpg")) {
      ImageFiles.write(all.file(file), image);
      all.add(
          file.replace('.', '_'),
          Dataset.tensors(Tensor.scalar(all.file(file)))
              .map(name -> Images.decode(Ops.readFile(name), 3)));
    }
  }
}

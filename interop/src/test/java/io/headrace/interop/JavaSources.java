package io.headrace.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.Compression;
import io.headrace.dataset.Csv;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Field;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Ops.Feature;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The sources of the Java API. */
final class JavaSources {
  private JavaSources() {}

  static void addTo(JavaDatasets all) {
    addNumbers(all);
    addTensors(all);
    addText(all);
    addRecords(all);
    addFixed(all);
    addBroken(all);
    addCsv(all);
    addFileSets(all);
  }

  private static void addNumbers(JavaDatasets all) {
    all.add("range", Dataset.range(10));
    all.add("range_by_negative_steps", Dataset.range(20, -7, -3));
    all.add("range_empty", Dataset.range(0));
    all.add("range_of_output", Dataset.range(6).flatMap(Dataset::range));
  }

  private static void addTensors(JavaDatasets all) {
    Tensor[] ofEveryType =
        Arrays.stream(DataType.values())
            .filter(type -> type.kind().isFixedWidth() && !type.tfName().startsWith("q"))
            .map(JavaSources::ones)
            .toArray(Tensor[]::new);
    all.add("tensors_of_every_type", Dataset.tensors(ofEveryType));
    all.add("tensors_of_bytes", Dataset.tensors(bytes("", "\0\u00ff", "text"), numbers(2, 3)));
    all.add("tensors_empty", Dataset.tensors(numbers(0, 3), bytes(), Tensor.scalar(7)));
    all.add("tensor_slices", Dataset.tensorSlices(numbers(6)));
    all.add(
        "tensor_slices_of_rows", Dataset.tensorSlices(numbers(4, 2, 3), bytes("a", "b", "", "d")));
    all.add(
        "tensor_slices_of_outputs",
        Dataset.tensorSlices(numbers(3, 4)).flatMap(x -> Dataset.tensorSlices(x, x.mul(2))));
  }

  /** Three elements whose bits are 1: a number in every dtype, and true as a bool. */
  private static Tensor ones(DataType type) {
    Object array = type.kind().newArray(3);
    switch (array) {
      case byte[] values -> Arrays.fill(values, (byte) 1);
      case short[] values -> Arrays.fill(values, (short) 1);
      case int[] values -> Arrays.fill(values, 1);
      case long[] values -> Arrays.fill(values, 1);
      case float[] values -> Arrays.fill(values, 1.5f);
      case double[] values -> Arrays.fill(values, -1.5);
      default -> throw new AssertionError(type);
    }
    return Tensor.wrap(type, Shape.of(3), array);
  }

  private static Tensor numbers(long... shape) {
    float[] values = new float[Shape.of(shape).elements()];
    for (int i = 0; i < values.length; i++) {
      values[i] = i / 4f - 1;
    }
    return Tensor.wrap(DataType.FLOAT32, Shape.of(shape), values);
  }

  private static Tensor bytes(String... values) {
    byte[][] array = Arrays.stream(values).map(v -> v.getBytes(UTF_8)).toArray(byte[][]::new);
    return Tensor.wrap(DataType.STRING, Shape.of(array.length), array);
  }

  private static void addText(JavaDatasets all) {
    all.add(
        "text_lines",
        Dataset.textLines(all.file("a.txt"), all.file("empty.txt"), all.file("b.txt")));
    all.add(
        "text_lines_of_output",
        Dataset.tensorSlices(Tensor.vector(all.file("b.txt"), all.file("a.txt")))
            .flatMap(Dataset::textLines));
    all.add(
        "list_files_in_stocks_order",
        Dataset.listFiles(all.file("examples-*.tfrecord*"), Shuffle.seed(7)));
    all.add(
        "list_files_in_any_order",
        new Comparison.Unordered(),
        Dataset.listFiles(all.file("[ab].txt"), Shuffle.RANDOM));
    all.add(
        "list_files_and_read_them",
        Dataset.listFiles(all.file("examples-?.tfrecord"), Shuffle.seed(3))
            .interleave(Dataset::tfRecord, Interleave.cycle(2).parallel(Dataset.AUTOTUNE)));
  }

  private static void addRecords(JavaDatasets all) {
    all.add(
        "tf_record",
        Dataset.tfRecord(
            all.file("examples-0.tfrecord"), all.file("empty.tfrecord"), all.file("big.tfrecord")));
    all.add(
        "tf_record_gzip", Dataset.tfRecord(Compression.GZIP, all.file("examples-1.tfrecord.gzip")));
    all.add(
        "tf_record_zlib", Dataset.tfRecord(Compression.ZLIB, all.file("examples-2.tfrecord.zlib")));
    all.add(
        "tf_record_of_output",
        Dataset.tensors(Tensor.scalar(all.file("examples-2.tfrecord"))).flatMap(Dataset::tfRecord));
    all.add(
        "tf_record_zlib_of_output",
        Dataset.tensors(Tensor.scalar(all.file("examples-0.tfrecord.zlib")))
            .flatMap(name -> Dataset.tfRecord(Compression.ZLIB, name)));
    List<Feature> features =
        List.of(
            Feature.scalar("id", DataType.INT64),
            new Feature("vector", DataType.FLOAT32, Shape.of(3)));
    Dataset records = Dataset.tfRecord(all.file("examples-0.tfrecord"));
    all.add("parse_example", records.map(record -> Ops.parseExample(record, features)));
    all.add("parse_examples", records.batch(5).map(batch -> Ops.parseExample(batch, features)));
    all.add(
        "parse_example_without_a_feature",
        new Comparison.Fails("INVALID_ARGUMENT"),
        records.map(
            r -> Ops.parseExample(r, List.of(Feature.scalar("optional", DataType.FLOAT32)))));
  }

  private static void addFixed(JavaDatasets all) {
    all.add(
        "fixed_length_records",
        Dataset.fixedLengthRecords(8, 4, 8, Compression.NONE, all.file("fixed.bin"))
            .map(record -> record.decodeRaw(DataType.UINT8)));
    all.add(
        "fixed_length_records_gzip",
        Dataset.fixedLengthRecords(8, 4, 8, Compression.GZIP, all.file("fixed.bin.gz"))
            .map(record -> record.decodeRaw(DataType.INT16)));
    all.add(
        "sqlite_rows",
        Dataset.sqlite(
            all.file("rows.sqlite"),
            "SELECT weight, id, name FROM rows ORDER BY id",
            Field.float64("weight"),
            Field.int64("id"),
            Field.string("name")));
  }

  private static void addBroken(JavaDatasets all) {
    all.add(
        "file_missing",
        new Comparison.Fails("NOT_FOUND"),
        Dataset.textLines(all.file("a.txt"), all.file("no-such-file.txt")));
    all.add(
        "tf_record_truncated",
        new Comparison.Fails("DATA_LOSS"),
        Dataset.tfRecord(all.file("truncated.tfrecord")));
    all.add(
        "tf_record_corrupt",
        new Comparison.Fails("DATA_LOSS"),
        Dataset.tfRecord(all.file("corrupt.tfrecord")));
  }

  private static void addCsv(JavaDatasets all) {
    Csv rows = Csv.of(Field.int64("id"), Field.float32("price"), Field.string("name"));
    all.add("csv", Dataset.csv(rows, all.file("rows.csv")));
    all.add(
        "csv_selected",
        Dataset.csv(
            Csv.of(Field.string("price").at(1), Field.string("id").at(2)), all.file("rows.csv")));
    all.add(
        "csv_that_is_no_number",
        new Comparison.Fails("INVALID_ARGUMENT"),
        Dataset.csv(
            Csv.of(Field.int64("id"), Field.int64("price"), Field.string("name")),
            all.file("rows.csv")));
  }

  private static void addFileSets(JavaDatasets all) {
    all.add("files_of_records", Dataset.files(all.file("examples-?.tfrecord")).records());
    all.add(
        "files_of_lines_shuffled",
        Dataset.files(all.file("[ab].txt")).shuffled(Shuffle.seed(5)).lines());
    all.add(
        "files_of_csv",
        Dataset.files(all.file("rows.csv"))
            .csv(Csv.of(Field.int64("id"), Field.float32("price"), Field.string("name"))));
  }
}

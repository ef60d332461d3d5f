package io.headrace.dataset.execute;

import io.headrace.dataset.Buckets;
import io.headrace.dataset.Compression;
import io.headrace.dataset.Csv;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.DatasetOptions;
import io.headrace.dataset.Field;
import io.headrace.dataset.Functions;
import io.headrace.dataset.ImageFolder;
import io.headrace.dataset.Padding;
import io.headrace.dataset.Ragged;
import io.headrace.dataset.Resampling;
import io.headrace.dataset.Sampling;
import io.headrace.dataset.Scanned;
import io.headrace.dataset.SymbolicElement;
import io.headrace.dataset.Window;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Pipelines of {@code pipelines.py}, written with the Java API. */
final class JavaPipelines {
  /** The pipelines, by the names that {@code record.py} has for their records. */
  static final Map<String, Supplier<Dataset>> ALL = new LinkedHashMap<>();

  private static final long[] BOUNDARIES = {3, 6};
  private static final long[] SIZES = {2, 3, 2};

  static {
    addBatches();
    addWindows();
    addOrders();
    addChoices();
    addBuckets();
    addRagged();
    addResampled();
    addSaved();
    addFiles();
    addCsv();
  }

  private JavaPipelines() {}

  private static void add(String name, Supplier<Dataset> pipeline) {
    ALL.put(name, pipeline);
  }

  private static void addSaved() {
    add("load_uncompressed", () -> Dataset.load(saved("NONE")));
    add("load_gzip", () -> Dataset.load(saved("GZIP"), Compression.GZIP));
    add("load_snappy", () -> Dataset.load(saved("SNAPPY"), Compression.SNAPPY).repeat(2));
    add("cache_file_in_parts", () -> Dataset.range(3).cache(saved("cache_in_parts")));
  }

  private static String saved(String name) {
    return RecordedPipelinesTest.RECORDED.resolve("files/saved").resolve(name).toString();
  }

  private static void addBatches() {
    add("unbatch_pairs", () -> Dataset.range(7).batch(3).map(x -> List.of(x, x.mul(x))).unbatch());
    add("rebatch", () -> Dataset.range(17).batch(5).rebatch(false, 2, 3, 1));
    add("rebatch_drop", () -> Dataset.range(11).batch(3).rebatch(true, 4));
    add("batch_parallel", () -> Dataset.range(11).map(x -> x.mul(2)).batch(3, false, 2));
    add(
        "padded_batch",
        () ->
            Dataset.range(7)
                .map(x -> List.of(Ops.range(x), x))
                .paddedBatch(3, false, Padding.TO_LONGEST));
    add(
        "padded_batch_shapes",
        () ->
            Dataset.range(5)
                .map(x -> List.of(pairs(x), Ops.range(x)))
                .paddedBatch(
                    2,
                    true,
                    Padding.to(Shape.of(3, 4), Shape.of(-1))
                        .with(Tensor.scalar(-7L), Tensor.scalar(-1L))));
  }

  /** The remainder of {@code x} and 3 rows of twice {@code x}. */
  private static Output pairs(Output x) {
    return Ops.fill(Ops.stack(List.of(x.floorMod(3), Ops.constant(2L)), 0), x);
  }

  private static void addWindows() {
    add("windows", () -> Dataset.range(10).window(Window.of(4).shift(3)).flatMapElement(rows(10)));
    add(
        "windows_strided",
        () ->
            Dataset.range(14)
                .window(Window.of(3).shift(4).stride(2).dropRemainder())
                .flatMapElement(rows(10)));
    add(
        "windows_of_pairs",
        () ->
            Dataset.range(7)
                .map(x -> List.of(x, x.mul(x)))
                .window(Window.of(3).dropRemainder())
                .flatMapElement(
                    w -> Dataset.zip(w.get(0).dataset().batch(3), w.get(1).dataset().batch(3))));
  }

  private static Functions.ElementToDataset rows(long size) {
    return window -> window.dataset().batch(size);
  }

  private static void addOrders() {
    add(
        "scan_sum",
        () ->
            Dataset.range(9)
                .scan(
                    List.of(Tensor.scalar(100L)),
                    (state, x) ->
                        Scanned.of(
                            state.getFirst().add(x.output()),
                            List.of(state.getFirst(), x.output()))));
    add("take_while", () -> Dataset.range(20).takeWhile(x -> x.output().square().less(50)));
    add(
        "unique",
        () -> Dataset.tensorSlices(Tensor.vector("a", "b", "a", "", "c", "", "b")).unique());
    add("assert_cardinality_right", () -> Dataset.range(4).assertCardinality(4));
    add(
        "options_kept",
        () ->
            Dataset.range(6)
                .map(x -> x.add(1), 2)
                .withOptions(DatasetOptions.NONE.deterministic(true)));
    add(
        "ignore_errors",
        () -> Dataset.range(12).map(x -> failAt(x, 0, 4, 5, 11)).ignoreErrors(false));
    add("random_seeded", () -> Dataset.random(42, false).take(9));
    add("random_reseeded", () -> Dataset.random(42, true).take(3).repeat(2));
  }

  /** x, or an error where x is one of {@code bad}. */
  private static Output failAt(Output x, long... bad) {
    Output distance = x.sub(Ops.constant(Tensor.vector(bad))).abs().min();
    return x.add(Ops.constant(0L).floorDiv(distance));
  }

  private static void addChoices() {
    Dataset tens = Dataset.range(10, 20, 1);
    add(
        "choose",
        () ->
            Dataset.chooseFromDatasets(
                List.of(Dataset.range(3), tens, Dataset.range(0)),
                Dataset.tensorSlices(Tensor.vector(0L, 1, 1, 0, 2, 0, 0, 1)).repeat(2),
                false));
    add(
        "choose_until_empty",
        () ->
            Dataset.chooseFromDatasets(
                List.of(Dataset.range(3), tens), Dataset.range(2).repeat(-1)));
    add(
        "sample_from",
        () ->
            Dataset.sampleFromDatasets(
                List.of(Dataset.range(8), Dataset.range(100, 108, 1)),
                Sampling.weights(0.3, 0.7).seed(4).stopOnEmpty()));
  }

  private static void addBuckets() {
    add(
        "bucket_by_length",
        () ->
            sequences(15, 10)
                .bucketBySequenceLength(JavaPipelines::length, Buckets.of(BOUNDARIES, SIZES)));
    add(
        "bucket_to_boundary",
        () ->
            sequences(12, 6)
                .bucketBySequenceLength(
                    JavaPipelines::length, Buckets.of(BOUNDARIES, SIZES).padToBoundary()));
    add(
        "bucket_of_pairs_drop",
        () ->
            Dataset.range(1, 15, 1)
                .map(x -> List.of(Ops.range(x.mul(7).floorMod(10)), x.asString()))
                .bucketBySequenceLength(
                    pair -> length(pair.get(0)),
                    Buckets.of(BOUNDARIES, SIZES)
                        .padding(
                            Padding.to(Shape.of(9), Shape.SCALAR)
                                .with(Tensor.scalar(-1L), Tensor.scalar("")))
                        .dropRemainder()));
    add(
        "bucket_without_padding",
        () ->
            Dataset.range(1, 15, 1)
                .map(x -> Ops.range(x.floorMod(3)))
                .bucketBySequenceLength(
                    JavaPipelines::length, Buckets.of(new long[] {1, 2}, SIZES).noPadding()));
    add(
        "group_by_window_sizes",
        () ->
            Dataset.range(23)
                .groupByWindow(
                    x -> x.output().floorMod(3).neg(),
                    key -> key.neg().add(2),
                    (key, group) -> group.map(x -> List.of(key, x)).take(3)));
  }

  /** The vectors 0, 1, ... below 7 x modulo {@code longest}, for x from 1 up to {@code stop}. */
  private static Dataset sequences(long stop, int longest) {
    return Dataset.range(1, stop, 1).map(x -> Ops.range(x.mul(7).floorMod(longest)));
  }

  private static Output length(SymbolicElement vector) {
    return vector.output().shapeTensor().at(0);
  }

  private static void addRagged() {
    add(
        "ragged_batch_drop",
        () ->
            Dataset.range(8)
                .map(x -> Ops.range(x.floorMod(4)))
                .raggedBatch(3, true)
                .mapElement(batch -> {
                  Ragged ragged = Ragged.of(batch);
                  return List.of(
                      ragged.flatValues(),
                      ragged.rowSplits().getFirst(),
                      ragged.toTensor(Tensor.scalar(-1L)));
                }));
    add(
        "ragged_dense_to_ragged_batch",
        () ->
            Dataset.range(7)
                .map(x -> List.of(Ops.range(x.floorMod(3)), x))
                .raggedBatch(4)
                .mapElement(batch -> {
                  Ragged ragged = Ragged.of(batch.get(0));
                  return List.of(
                      ragged.toTensor(Tensor.scalar(9L)), ragged.rowLengths(), batch.get(1));
                }));
  }

  private static void addResampled() {
    add("rejection_resampled", () -> resampled(Resampling.to(0.5, 0.5).from(0.8, 0.2)));
    add("rejection_resampled_by_estimates", () -> resampled(Resampling.to(0.4, 0.6)));
    add(
        "rejection_resampled_unchanged",
        () -> resampled(Resampling.to(0.75, 0.25).from(0.75, 0.25)));
    add("rejection_resampled_to_one_class", () -> resampled(Resampling.to(0, 1).from(0.8, 0.2)));
  }

  private static Dataset resampled(Resampling how) {
    return Dataset.range(60)
        .rejectionResample(
            x -> x.output().floorMod(10).greater(7).cast(DataType.INT32), how.seed(11));
  }

  private static String file(String name) {
    return RecordedPipelinesTest.RECORDED.resolve("files").resolve(name).toString();
  }

  private static void addFiles() {
    add("text_lines_gzip", () -> Dataset.textLines(Compression.GZIP, file("c.txt.gz")));
    add("files_of_lines", () -> Dataset.files(file("[ab].txt")).lines());
    add(
        "files_of_fixed_length",
        () -> Dataset.files(file("fixed.bin.*")).compressed(Compression.GZIP).fixedLength(5, 4, 5));
    add(
        "sqlite_rows",
        () ->
            Dataset.sqlite(
                file("people.sqlite"),
                "SELECT name, height, id, id % 2, id + 1 FROM people ORDER BY id",
                Field.string("name"),
                Field.float64("height"),
                Field.int32("id"),
                Field.bool("odd"),
                Field.int64("after")));
    add("images_in_folders", () -> Dataset.images(ImageFolder.of(file("flowers")).resized(4, 5)));
  }

  private static void addCsv() {
    Field a = Field.int32("a");
    Field b = Field.float32("b");
    Field c = Field.string("c");
    Csv withDefaults = Csv.of(a, b.orElse(0.5), c.orElse("none")).withHeader();
    String plain = file("plain.csv");
    add("csv_with_header", () -> Dataset.csv(withDefaults, plain, plain));
    add("csv_missing_is_an_error", () -> Dataset.csv(Csv.of(a, b, c).withHeader(), plain));
    Csv allDefaults = Csv.of(a.orElse(-1), b.orElse(0.5), c.orElse("none")).withHeader();
    add(
        "csv_compressed",
        () ->
            Dataset.csv(allDefaults.compressed(Compression.GZIP), file("plain.csv.gz"))
                .concatenate(
                    Dataset.csv(allDefaults.compressed(Compression.ZLIB), file("plain.csv.zlib"))));
    add(
        "csv_defaults_and_na",
        () ->
            Dataset.csv(
                Csv.of(
                        Field.int64("a").orElse(-1),
                        Field.float64("b").orElse(0.25),
                        c.orElse("none"))
                    .delimitedBy(';')
                    .missing("NA"),
                file("na.csv")));
    add(
        "csv_selected",
        () -> Dataset.csv(Csv.of(a.orElse(0).at(1), c.orElse("-").at(4)), file("wide.csv")));
    add(
        "csv_without_quotes",
        () ->
            Dataset.csv(
                Csv.of(Field.string("a").orElse("-"), c.orElse("-")).withoutQuotes(),
                file("bad.csv")));
    add(
        "csv_errors",
        () ->
            Dataset.csv(
                Csv.of(a, Field.int32("b")),
                file("bad.csv"),
                file("wide.csv"),
                file("empty.csv"),
                file("na.csv")));
    add(
        "csv_empty_files",
        () ->
            Dataset.csv(
                Csv.of(a.orElse(0), b.orElse(0), c.orElse("")).skippingHeader(),
                file("empty.csv"),
                file("header_only.csv"),
                plain));
  }
}

package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Ops.Feature;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("ArrayRecordComponent") // as users' records may have
final class WritersTest {
  record Values(long id, float[] values) {}

  record Row(int i, long l, float f, double d, String s) {}

  /** Files that TensorFlow wrote. */
  private static final Path RECORDED =
      Path.of("src/test/resources/io/headrace/dataset/execute/recorded/files");

  private static final Csv ALL =
      Csv.of(
              Field.int32("i"),
              Field.int64("l"),
              Field.float32("f"),
              Field.float64("d"),
              Field.string("s").orElse(""))
          .withHeader();

  private static final List<Row> ROWS =
      List.of(
          new Row(Integer.MIN_VALUE, Long.MAX_VALUE, 0.1f, 0.1, "plain"),
          new Row(0, -1, Float.MIN_VALUE, Double.MAX_VALUE, "a,b \"quoted\"\r\nsecond"),
          new Row(1, 1, -0f, 1e-300, ""),
          new Row(2, 2, Float.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, "\u00e9;"),
          new Row(3, 3, Float.NaN, Double.NaN, " blanks "));

  @TempDir private Path folder;

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private static void refused(StatusCode code, ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  private static void refused(ThrowingCallable call, String message) {
    refused(StatusCode.INVALID_ARGUMENT, call, message);
  }

  private static Tensor tensor(DataType dtype, Shape shape, Object array) {
    return Tensor.of(dtype, shape, array);
  }

  @Test
  void tfRecord_ofTensorFlowsRecords_isTheSameFile() throws IOException {
    Path stock = RECORDED.resolve("a.tfrecord");
    try (TfRecordWriter writer = TfRecordWriter.create(file("a.tfrecord"))) {
      for (Element record : Dataset.tfRecord(stock.toString())) {
        writer.write(record.tensor().string(0));
      }
    }

    assertThat(Path.of(file("a.tfrecord"))).hasSameBinaryContentAs(stock);
    assertThat(Files.size(stock)).isPositive();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SNAPPY") // it is for saved datasets
  void tfRecord_compressed_isReadWithTheSameCompression(Compression compression) {
    byte[] large = new byte[1 << 20];
    large[7] = 1;
    try (TfRecordWriter writer = TfRecordWriter.create(file("a"), compression)) {
      writer.write(new byte[0]);
      writer.write(large);
    }

    assertThat(Dataset.tfRecord(compression, file("a")).stream().map(r -> r.tensor().string(0)))
        .containsExactly(new byte[0], large);
  }

  @Test
  void tfRecord_writtenAfterItsClose_isRefused() {
    TfRecordWriter writer = TfRecordWriter.create(file("a"));
    writer.close();
    writer.close();

    refused(StatusCode.FAILED_PRECONDITION, () -> writer.write(new byte[1]), "a is closed");
  }

  @Test
  void create_inAMissingFolder_isNotFound() {
    refused(
        StatusCode.NOT_FOUND,
        () -> TfRecordWriter.create(file("none/a.tfrecord")),
        "none/a.tfrecord");
  }

  @Test
  void example_ofEveryKindOfFeature_isParsedToItsValues() {
    Example example =
        new Example(
            Map.of(
                "ids", Tensor.vector(1L, -1, Long.MAX_VALUE),
                "pixels", tensor(DataType.UINT8, Shape.of(2), new byte[] {-1, 3}),
                "flag", Tensor.scalar(true),
                "shorts", tensor(DataType.UINT16, Shape.of(1), new short[] {-1}),
                "unsigned", tensor(DataType.UINT32, Shape.of(1), new int[] {-1}),
                "weights", Tensor.vector(0.5f, Float.NaN, -0f),
                "names", Tensor.vector("a", "", "\u00e9"),
                "none", Tensor.vector(new float[0])));
    Tensor serialized = Tensor.scalar(example.toByteArray());

    List<Tensor> read =
        Dataset.tensors(serialized)
            .map(record ->
                Ops.parseExample(
                    record,
                    List.of(
                        Feature.list("ids", DataType.INT64),
                        Feature.list("pixels", DataType.INT64),
                        Feature.scalar("flag", DataType.INT64),
                        Feature.scalar("shorts", DataType.INT64),
                        Feature.scalar("unsigned", DataType.INT64),
                        Feature.list("weights", DataType.FLOAT32),
                        Feature.list("names", DataType.STRING),
                        Feature.list("none", DataType.FLOAT32))))
            .iterator()
            .next()
            .components();

    assertThat(read)
        .extracting(Tensor::toString)
        .containsExactly(
            Tensor.vector(1L, -1, Long.MAX_VALUE).toString(),
            Tensor.vector(255L, 3L).toString(),
            Tensor.scalar(1L).toString(),
            Tensor.scalar(65_535L).toString(),
            Tensor.scalar(4_294_967_295L).toString(),
            Tensor.vector(0.5f, Float.NaN, -0f).toString(),
            Tensor.vector("a", "", "\u00e9").toString(),
            Tensor.vector(new float[0]).toString());
  }

  @Test
  void example_ofAnElementOrARecord_hasItsPartsByName() {
    Element element =
        Dataset.range(3, 4, 1)
            .map(x -> Map.of("id", x, "values", x.cast(DataType.FLOAT32).reshape(1)))
            .iterator()
            .next();

    assertThat(Example.of(element).toByteArray())
        .isEqualTo(Example.of(new Values(3, new float[] {3})).toByteArray());
  }

  @Test
  void example_ofWhatItCannotHold_isRefused() {
    refused(
        () -> new Example(Map.of("price", Tensor.scalar(0.1))),
        "feature price of an Example can't be double: cast it to int64, float32 or string");
    refused(
        () -> Example.of(Dataset.range(1).iterator().next()),
        "an Example is made of a map of named features");
    refused(
        () -> Example.of(Dataset.range(1).map(x -> Map.of("a", List.of(x, x))).iterator().next()),
        "a feature of an Example is one tensor, and a is");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NONE", "GZIP", "ZLIB"})
  void csv_writtenByAFormat_isReadByIt(String compression) {
    Csv format = ALL.compressed(Compression.valueOf(compression));
    try (CsvWriter writer = CsvWriter.create(file("a.csv"), format)) {
      ROWS.forEach(writer::write);
    }

    assertThat(Dataset.csv(format, file("a.csv")).as(Row.class)).containsExactlyElementsOf(ROWS);
  }

  @Test
  void csv_ofElements_hasTheFieldsInTheirOrder() throws IOException {
    Csv format = Csv.of(Field.string("z"), Field.int64("a")).withHeader().delimitedBy('\t');
    try (CsvWriter writer = CsvWriter.create(file("a.csv"), format)) {
      Dataset.range(2).map(x -> Map.of("a", x, "z", x.asString())).forEach(writer::write);
    }

    assertThat(Path.of(file("a.csv"))).hasContent("z\ta\n0\t0\n1\t1\n");
  }

  private void refusedRow(Csv format, Map<String, Tensor> row, String message) {
    Map<String, Structure> parts = new TreeMap<>();
    row.forEach(
        (name, value) -> parts.put(name, new Structure.Component(value.dtype(), value.shape())));
    Element element =
        new Element(new Structure.Dict(parts), List.copyOf(new TreeMap<>(row).values()));
    try (CsvWriter writer = CsvWriter.create(file("a.csv"), format)) {
      refused(() -> writer.write(element), message);
    }
    assertThat(Path.of(file("a.csv"))).isEmptyFile();
  }

  @Test
  void csv_valuesThatWouldBeReadAsOthers_areRefused() {
    Csv text = Csv.of(Field.string("s"));
    refusedRow(
        text, Map.of("s", Tensor.scalar("")), "field s is \"\", which would be read as missing");
    refusedRow(text.missing("NA"), Map.of("s", Tensor.scalar("NA")), "field s is \"NA\"");
    refusedRow(
        text.withoutQuotes(),
        Map.of("s", Tensor.scalar("a,b")),
        "field s holds a delimiter or a line end, and the format has no quotes");
    refusedRow(
        text,
        Map.of("s", Tensor.scalar(1L)),
        "field s is a scalar string, and the value is int64[]");
    refusedRow(text, Map.of("s", Tensor.vector("a")), "the value is string[1]");
    refusedRow(text, Map.of("t", Tensor.scalar("a")), "the element has no part s");
  }

  @Test
  void csv_withColumnsLeftOut_isRefused() {
    refused(
        () ->
            CsvWriter.create(file("a.csv"), Csv.of(Field.int64("a").at(0), Field.int64("b").at(2))),
        "the fields have none for column 1");
  }

  @Test
  void image_asPng_isReadPixelByPixel() {
    Tensor image = tensor(DataType.UINT8, Shape.of(1, 2, 3), new byte[] {0, 1, 2, -1, -2, -3});
    ImageFiles.write(file("a.PNG"), image);

    Tensor read =
        Dataset.tensors(Tensor.scalar(file("a.PNG")))
            .map(name -> Ops.readFile(name).decodePng(0))
            .iterator()
            .next()
            .tensor();

    assertThat(read.typeAndShape()).isEqualTo("uint8[1,2,3]");
    assertThat(read.bytes()).isEqualTo(image.bytes());
  }

  @Test
  void image_asJpeg_isReadByItsFolder() throws IOException {
    byte[] gray = new byte[16 * 16];
    Arrays.fill(gray, (byte) 77);
    Files.createDirectory(folder.resolve("cats"));
    ImageFiles.write(file("cats/1.jpeg"), tensor(DataType.UINT8, Shape.of(16, 16, 1), gray));

    Element read = Dataset.images(ImageFolder.of(folder.toString()).channels(1)).iterator().next();

    assertThat(read.get("image").tensor().bytes()).isEqualTo(gray);
    assertThat(read.get("path").tensor().string(0)).isEqualTo(file("cats/1.jpeg").getBytes(UTF_8));
  }

  @Test
  void image_thatIsNone_isRefused() {
    Tensor floats = Tensor.wrap(DataType.FLOAT32, Shape.of(1, 1, 3), new float[3]);
    Tensor bytes = Tensor.wrap(DataType.UINT8, Shape.of(1, 1, 3), new byte[3]);

    refused(() -> ImageFiles.jpeg(floats, 95), "the image is float[1,1,3]");
    refused(() -> ImageFiles.png(floats), "the image is float[1,1,3]");
    refused(() -> ImageFiles.jpeg(bytes, 101), "quality must be in [0,100], got 101");
    refused(() -> ImageFiles.write(file("a.gif"), bytes), ".jpg, .jpeg or .png, and the file is");
    refused(StatusCode.NOT_FOUND, () -> ImageFiles.write(file("none/a.png"), bytes), "none/a.png");
    refused(
        StatusCode.NOT_FOUND,
        () -> Dataset.images(ImageFolder.of(file("none"))),
        "name the classes: ImageFolder.classes(...)");
  }
}

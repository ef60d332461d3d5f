package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading checkpoints that stock TensorFlow wrote, and writing the same bytes. */
final class CheckpointTest {
  @TempDir private Path folder;

  /** A file that oracle/checkpoints.py recorded. */
  private static Path recorded(String name) {
    try {
      return Path.of(Objects.requireNonNull(CheckpointTest.class.getResource(name), name).toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** The prefix of the checkpoint {@code name} that oracle/checkpoints.py recorded. */
  private static String prefix(String name) {
    String index = recorded(name + ".index").toString();
    return index.substring(0, index.length() - ".index".length());
  }

  /**
   * The tensors that the script saves as every_dtype, in its order; of the variant only the name.
   */
  private static Map<String, Tensor> everyDtype() {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    tensors.put("float", Tensor.vector(-1f, -0.5f, 0f, 0.5f, 1f, 1.5f).reshape(Shape.of(2, 3)));
    tensors.put("double", Tensor.scalar(-2.5));
    tensors.put("half", of(DataType.FLOAT16, 3, new short[] {0x3c00, (short) 0xc000, 0x3800}));
    tensors.put("bfloat16", of(DataType.BFLOAT16, 2, new short[] {0x3f80, (short) 0xc000}));
    tensors.put("bool", of(DataType.BOOL, 3, new byte[] {1, 0, 1}));
    tensors.put("complex64", of(DataType.COMPLEX64, 2, new float[] {1, 2, -0f, -3}));
    tensors.put("complex128", of(DataType.COMPLEX128, 2, new double[] {1, 2, -0.0, -3}));
    byte[][] strings = {{}, {'a'}, {0, -1, -2}, "x".repeat(300).getBytes(UTF_8)};
    tensors.put("string", Tensor.wrap(DataType.STRING, Shape.of(2, 2), strings));
    tensors.put("empty", Tensor.wrap(DataType.FLOAT32, Shape.of(0, 3), new float[0]));
    tensors.put("no strings", of(DataType.STRING, 0, new byte[0][]));
    tensors.put("int8", of(DataType.INT8, 3, new byte[] {-128, 7, 127}));
    tensors.put("uint8", of(DataType.UINT8, 3, new byte[] {0, 7, -1}));
    tensors.put("int16", of(DataType.INT16, 3, new short[] {-32768, 7, 32767}));
    tensors.put("uint16", of(DataType.UINT16, 3, new short[] {0, 7, -1}));
    tensors.put("int32", Tensor.vector(Integer.MIN_VALUE, 7, Integer.MAX_VALUE));
    tensors.put("uint32", of(DataType.UINT32, 3, new int[] {0, 7, -1}));
    tensors.put("int64", Tensor.vector(Long.MIN_VALUE, 7, Long.MAX_VALUE));
    tensors.put("uint64", of(DataType.UINT64, 3, new long[] {0, 7, -1}));
    return tensors;
  }

  private static Tensor of(DataType dtype, int size, Object array) {
    return Tensor.wrap(dtype, Shape.of(size), array);
  }

  private static void assertEqual(Tensor actual, Tensor expected) {
    assertThat(TensorProtos.write(actual)).isEqualTo(TensorProtos.write(expected));
  }

  private static void assertSameFiles(String actualPrefix, String expectedPrefix)
      throws IOException {
    for (String suffix : List.of(".data-00000-of-00001", ".index")) {
      assertThat(Path.of(actualPrefix + suffix))
          .hasSameBinaryContentAs(Path.of(expectedPrefix + suffix));
    }
    try (Stream<Path> files = Files.list(Path.of(actualPrefix).getParent())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .noneMatch(name -> name.contains("tempstate"));
    }
  }

  private static void assertFails(StatusCode code, String message, ThrowingCallable failing) {
    assertThatThrownBy(failing)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  @Test
  void read_everyDtypeOfStock_yieldsWhatWasSaved() {
    try (BundleReader reader = BundleReader.open(prefix("every_dtype"))) {
      everyDtype().forEach((name, expected) -> assertEqual(reader.read(name), expected));
    }
  }

  @Test
  void write_whatStockWrote_writesTheSameBytes() throws IOException {
    String ours = folder.resolve("ours").toString();
    Tensor variant;
    try (BundleReader reader = BundleReader.open(prefix("every_dtype"))) {
      variant = reader.read("variant");
    }
    try (BundleWriter writer = BundleWriter.open(ours)) {
      everyDtype().forEach(writer::add);
      writer.add("variant", variant);
      writer.finish();
    }
    assertSameFiles(ours, prefix("every_dtype"));
  }

  @Test
  void read_slicesOfStock_assemblesThem() {
    float[] all = new float[20];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    try (BundleReader reader = BundleReader.open(prefix("sliced"))) {
      assertThat(reader.read("m/a\u00ff").shape()).isEqualTo(Shape.of(4, 5));
      assertThat(reader.read("m/a\u00ff").floats()).isEqualTo(all);
      assertThat(part(reader, "4 5 1,2:0,3")).containsExactly(5, 6, 7, 10, 11, 12);
      assertThat(part(reader, "4 5 -:4,1")).containsExactly(4, 9, 14, 19);
      assertThat(part(reader, "4 5 0,2:-")).hasSize(10).startsWith(0, 1);
      assertThat(part(reader, "4 5 2,2:1,4")).containsExactly(11, 12, 13, 14, 16, 17, 18, 19);
      assertThat(reader.read("whole", ShapeAndSlice.parse("3 1,2")).ints()).containsExactly(1, 2);
      assertThat(reader.read("steps").longs()).containsExactly(7);
    }
  }

  private static float[] part(BundleReader reader, String slice) {
    return reader.read("m/a\u00ff", ShapeAndSlice.parse(slice)).detach().floats();
  }

  @Test
  void merge_shardsThatStockMerged_writesTheSameBytes() throws IOException {
    String first = folder.resolve("parts/part-0").toString();
    String second = folder.resolve("parts/part-1").toString();
    String merged = folder.resolve("merged").toString();
    try (BundleReader stock = BundleReader.open(prefix("sliced"))) {
      try (BundleWriter writer = BundleWriter.open(first)) {
        addPart(writer, stock, "4 5 0,2:-");
        writer.add("steps", stock.read("steps"));
        writer.finish();
      }
      try (BundleWriter writer = BundleWriter.open(second)) {
        addPart(writer, stock, "4 5 2,2:0,1");
        addPart(writer, stock, "4 5 2,2:1,4");
        writer.addSlice("whole", ShapeAndSlice.parse("3 0,3"), stock.read("whole"));
        writer.finish();
      }
    }
    BundleMerger.merge(List.of(first, second), merged, false);
    for (String suffix : List.of(".index", ".data-00000-of-00002", ".data-00001-of-00002")) {
      assertThat(Path.of(merged + suffix))
          .hasSameBinaryContentAs(Path.of(prefix("sliced") + suffix));
    }
    try (Stream<Path> left = Files.list(folder.resolve("parts"))) {
      assertThat(left).isEmpty();
    }
  }

  private static void addPart(BundleWriter writer, BundleReader stock, String slice) {
    ShapeAndSlice part = ShapeAndSlice.parse(slice);
    writer.addSlice("m/a\u00ff", part, stock.read("m/a\u00ff", part));
  }

  @Test
  void write_indexOfManyBlocks_writesTheBytesOfStock()
      throws IOException, NoSuchAlgorithmException {
    String ours = folder.resolve("many").toString();
    try (BundleWriter writer = BundleWriter.open(ours)) {
      for (int i = 0; i < 6000; i++) {
        writer.add("layer_%05d/%s".formatted(i * 7, "n".repeat(i % 90)), Tensor.scalar(i));
      }
      writer.add("x".repeat(700_000), Tensor.scalar(-1));
      writer.finish();
    }
    for (String line : Files.readAllLines(recorded("digests.txt"))) {
      String[] words = line.split(" ", -1);
      byte[] content = Files.readAllBytes(folder.resolve(words[1]));
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      assertThat(HexFormat.of().formatHex(digest)).as(words[1]).isEqualTo(words[0]);
    }
    try (BundleReader reader = BundleReader.open(ours)) {
      assertThat(reader.read("layer_06993/" + "n".repeat(999 % 90)).ints()).containsExactly(999);
      assertThat(reader.read("layer_41993/" + "n".repeat(5999 % 90)).ints()).containsExactly(5999);
      assertThat(reader.read("x".repeat(700_000)).ints()).containsExactly(-1);
      assertFails(StatusCode.NOT_FOUND, "Key layer_", () -> reader.read("layer_06994/"));
      assertFails(StatusCode.NOT_FOUND, "Key zz", () -> reader.read("zz"));
    }
  }

  @Test
  void write_largeTensor_isReadInPieces() {
    String ours = folder.resolve("large").toString();
    double[] numbers = new double[400_001];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i * 0.5;
    }
    Tensor tensor = Tensor.view(DataType.FLOAT64, Shape.of(400_000), numbers, 1);
    try (BundleWriter writer = BundleWriter.open(ours)) {
      writer.add("first", Tensor.scalar("string before it"));
      writer.add("large", tensor);
      writer.finish();
    }
    try (BundleReader reader = BundleReader.open(ours)) {
      assertEqual(reader.read("large"), tensor);
    }
  }

  @Test
  void close_withoutFinish_leavesTheCheckpointBefore() throws IOException {
    String ours = folder.resolve("ours").toString();
    save(ours, Tensor.scalar(1));
    try (BundleWriter writer = BundleWriter.open(ours)) {
      writer.add("x", Tensor.scalar(2));
    }
    try (BundleReader reader = BundleReader.open(ours)) {
      assertThat(reader.read("x").ints()).containsExactly(1);
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  private static void save(String prefix, Tensor tensor) {
    try (BundleWriter writer = BundleWriter.open(prefix)) {
      writer.add("x", tensor);
      writer.finish();
    }
  }

  @Test
  void read_withAnyByteOfTheDataChanged_isDataLoss() throws IOException {
    String ours = folder.resolve("ours").toString();
    Tensor strings = Tensor.vector("a", "", "bcd");
    save(ours, strings);
    Path data = Path.of(ours + ".data-00000-of-00001");
    byte[] whole = Files.readAllBytes(data);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x10;
      Files.write(data, damaged);
      assertFails(StatusCode.DATA_LOSS, data.toString(), () -> read(ours));
    }
    Files.write(data, whole);
    assertEqual(read(ours), strings);
  }

  @Test
  void read_withTheFilesCutShort_isDataLoss() throws IOException {
    String ours = folder.resolve("ours").toString();
    save(ours, Tensor.vector(1, 2, 3));
    for (String suffix : List.of(".index", ".data-00000-of-00001")) {
      Path file = Path.of(ours + suffix);
      byte[] whole = Files.readAllBytes(file);
      for (int length = 0; length < whole.length; length++) {
        Files.write(file, Arrays.copyOf(whole, length));
        assertFails(StatusCode.DATA_LOSS, ours, () -> read(ours));
      }
      Files.write(file, whole);
    }
  }

  @Test
  void read_withAnyByteOfTheIndexChanged_isDataLossOrTheTensor() throws IOException {
    String ours = folder.resolve("ours").toString();
    Tensor numbers = Tensor.vector(1, 2, 3);
    save(ours, numbers);
    Path index = Path.of(ours + ".index");
    byte[] whole = Files.readAllBytes(index);
    int failures = 0;
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x10;
      Files.write(index, damaged);
      try {
        assertEqual(read(ours), numbers); // the metaindex block and the padding are not read
      } catch (StatusException e) {
        assertThat(e.code()).isEqualTo(StatusCode.DATA_LOSS);
        failures++;
      }
    }
    assertThat(failures).isGreaterThan(whole.length / 2);
  }

  private static Tensor read(String prefix) {
    try (BundleReader reader = BundleReader.open(prefix)) {
      return reader.read("x");
    }
  }

  @Test
  void read_withoutAFile_isNotFound() throws IOException {
    String ours = folder.resolve("ours").toString();
    assertFails(StatusCode.NOT_FOUND, ours + ".index; No such file", () -> read(ours));
    save(ours, Tensor.scalar(1));
    Files.delete(Path.of(ours + ".data-00000-of-00001"));
    assertFails(StatusCode.NOT_FOUND, ours + ".data-00000-of-00001; No such", () -> read(ours));
  }

  private static Map<String, Tensor> sliceFile() {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    tensors.put("int32", Tensor.vector(-2, -1, 0, 1, 2));
    tensors.put("s", Tensor.vector("a", "", "bc"));
    tensors.put("complex64", of(DataType.COMPLEX64, 2, new float[] {1, 2, 0, 3}));
    tensors.put("half", of(DataType.FLOAT16, 2, new short[] {0x3c00, 0x4000}));
    tensors.put("bool", of(DataType.BOOL, 2, new byte[] {1, 0}));
    tensors.put("int64", Tensor.scalar(1L << 40));
    tensors.put("double", Tensor.wrap(DataType.FLOAT64, Shape.of(1, 1), new double[] {0.5}));
    tensors.put("uint8", of(DataType.UINT8, 1, new byte[] {-1}));
    tensors.put("int8", of(DataType.INT8, 1, new byte[] {-128}));
    tensors.put("int16", of(DataType.INT16, 1, new short[] {-300}));
    tensors.put("uint16", of(DataType.UINT16, 1, new short[] {-1}));
    tensors.put("complex128", Tensor.wrap(DataType.COMPLEX128, Shape.SCALAR, new double[] {0, 2}));
    return tensors;
  }

  @Test
  void read_sliceFileOfStock_yieldsWhatWasSaved() {
    String file = recorded("slices.ckpt").toString();
    try (TensorSliceReader reader = TensorSliceReader.open(file, new Cancellation())) {
      sliceFile().forEach((name, expected) -> assertEqual(reader.read(name), expected));
      assertThat(reader.read("v").floats()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
      Tensor part = reader.read("v", ShapeAndSlice.parse("4 3 1,2:2,1"));
      assertThat(part.floats()).containsExactly(5, 8);
    }
  }

  @Test
  void write_sliceFileThatStockWrote_writesTheSameBytes() {
    String ours = folder.resolve("slices.ckpt").toString();
    TensorSliceWriter writer = new TensorSliceWriter();
    Tensor first = Tensor.vector(0f, 1, 2, 3, 4, 5).reshape(Shape.of(2, 3));
    Tensor second = Tensor.vector(6f, 7, 8, 9, 10, 11).reshape(Shape.of(2, 3));
    writer.add("v", ShapeAndSlice.parse("4 3 0,2:-"), first);
    writer.add("v", ShapeAndSlice.parse("4 3 2,2:-"), second);
    sliceFile().forEach(writer::add);
    writer.finish(ours);
    assertThat(Path.of(ours)).hasSameBinaryContentAs(recorded("slices.ckpt"));
  }
}

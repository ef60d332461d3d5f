package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Datasets that are saved, loaded and snapshotted; those that stock wrote are recorded. */
final class SavedDatasetsTest {
  @TempDir private Path folder;

  private String path() {
    return folder.resolve("saved").toString();
  }

  private static List<String> elements(Dataset dataset) {
    return dataset.stream().map(Element::toString).toList();
  }

  private static List<Long> numbers(Dataset dataset) {
    return dataset.stream().map(element -> element.tensor().longs()[0]).toList();
  }

  private static void assertStatus(ThrowingCallable call, StatusCode code, String part) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).as(e.message()).isEqualTo(code))
        .hasMessageContaining(part);
  }

  /** The files below the folder whose names end with {@code ending}. */
  private List<Path> files(String ending) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Dataset mixed() {
    return Dataset.range(100)
        .mapElement(x ->
            Map.of(
                "number", x.output(),
                "pair", List.of(x.output().mul(2L), x.output().add(1L))))
        .batch(7);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void load_ofWhatWasSaved_givesItsElements(Compression compression) {
    mixed().save(path(), SaveOptions.SAVE.compression(compression));

    Dataset loaded = Dataset.load(path(), compression);

    assertThat(loaded.structure()).isEqualTo(mixed().structure());
    assertThat(loaded.cardinality()).isEqualTo(15);
    assertThat(elements(loaded)).isEqualTo(elements(mixed()));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void load_ofLargeRows_givesThem(Compression compression) {
    Dataset large = Dataset.range(300_000).batch(100_000);
    large.save(path(), SaveOptions.SAVE.compression(compression));

    assertThat(Dataset.load(path(), compression).stream())
        .extracting(element -> element.tensor().longs()[99_999])
        .containsExactly(99_999L, 199_999L, 299_999L);
  }

  @Test
  void save_ofNothing_isLoadedAsNothing() {
    Dataset.range(0).save(path());

    assertThat(elements(Dataset.load(path()))).isEmpty();
  }

  @Test
  void save_withShards_writesAFileForEach() {
    Dataset.range(9).save(path(), SaveOptions.SAVE.shards(x -> x.output().floorMod(3L)));

    assertThat(files(".snapshot"))
        .extracting(file -> file.getName(file.getNameCount() - 2).toString())
        .containsExactly("00000000.shard", "00000001.shard", "00000002.shard");
    assertThat(numbers(Dataset.load(path())))
        .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
  }

  @Test
  void save_withShardsThatAreNoNumbers_isRefused() {
    assertStatus(
        () -> Dataset.range(9).save(path(), SaveOptions.SAVE.shards(x -> x.output().equalTo(1L))),
        StatusCode.INVALID_ARGUMENT,
        "must be an int64");
  }

  @Test
  void save_ofDatasets_isRefused() {
    assertStatus(
        () -> Dataset.range(9).window(Window.of(2)).save(path()),
        StatusCode.UNIMPLEMENTED,
        "hold datasets");
  }

  @Test
  void save_overAnother_replacesIt() {
    Dataset.range(3).save(path());
    Dataset.range(5, 8, 1).save(path());

    assertThat(numbers(Dataset.load(path()))).containsExactly(5L, 6L, 7L);
  }

  @Test
  void save_thatFails_leavesWhatWasThereAndNoFilesOfItsOwn() {
    Dataset.range(3).save(path());
    List<Path> before = files("");
    Dataset failing =
        Dataset.range(10)
            .mapElement(x -> Map.of("quotient", x.output().mul(0L).floorDiv(x.output().sub(4L))));

    assertStatus(() -> failing.save(path()), StatusCode.INVALID_ARGUMENT, "ivi");

    assertThat(files("")).isEqualTo(before);
    assertThat(numbers(Dataset.load(path()))).containsExactly(0L, 1L, 2L);
  }

  @Test
  void save_whoseFolderVanishes_failsAndLeavesWhatWasThere() {
    Dataset.range(3).save(path());
    Structure number = new Structure.Component(DataType.INT64, Shape.SCALAR);
    Iterable<List<Tensor>> numbers =
        () -> LongStream.range(0, 100).mapToObj(this::numberInAVanishingFolder).iterator();

    assertStatus(
        () -> Dataset.fromIterable(number, numbers).save(path()),
        StatusCode.NOT_FOUND,
        ".snapshot; No such file");

    assertThat(numbers(Dataset.load(path()))).containsExactly(0L, 1L, 2L);
  }

  /** An element; before one of them the shard that is being written is deleted. */
  private List<Tensor> numberInAVanishingFolder(long number) {
    if (number == 50) {
      Path file =
          files("").stream()
              .filter(found -> found.toString().contains(".snapshot.tempstate"))
              .findFirst()
              .orElseThrow();
      try {
        Files.delete(file);
        Files.delete(file.getParent());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return List.of(Tensor.scalar(number));
  }

  @Test
  void load_whereNothingIsSaved_isNotFound() {
    assertStatus(
        () -> Dataset.load(path()),
        StatusCode.NOT_FOUND,
        "there is no saved dataset at "
            + path()
            + ", which does not exist: a saved dataset is a"
            + " folder that save or distributedSave has written");
  }

  @Test
  void load_ofAFolderOfOtherFiles_isNotFound() throws IOException {
    Files.createDirectories(Path.of(path()));

    assertStatus(
        () -> Dataset.load(path()),
        StatusCode.NOT_FOUND,
        path() + " holds no saved dataset: a saved dataset is a folder");
  }

  @Test
  void load_ofAnotherFileSystem_isRefusedByName() {
    assertStatus(() -> Dataset.load("s3://b/x"), StatusCode.UNIMPLEMENTED, "s3://");
  }

  @Test
  void load_ofAnUnfinishedRun_isRefused() throws IOException {
    Dataset.range(3).save(path());
    Path metadata = Path.of(path(), "snapshot.metadata");
    SnapshotMetadataRecord whole = SnapshotMetadataRecord.parseFrom(Files.readAllBytes(metadata));
    Files.write(metadata, whole.toBuilder().setFinalized(false).build().toByteArray());

    assertStatus(
        () -> elements(Dataset.load(path())),
        StatusCode.FAILED_PRECONDITION,
        "not saved to its end");
  }

  @Test
  void load_ofElementsOfAnotherType_isRefused() throws IOException {
    Dataset.range(3).save(path());
    String other = folder.resolve("other").toString();
    Dataset.range(3).map(x -> x.cast(DataType.FLOAT32)).save(other);
    Files.copy(
        Path.of(other, "snapshot.metadata"),
        Path.of(path(), "snapshot.metadata"),
        StandardCopyOption.REPLACE_EXISTING);

    assertStatus(
        () -> elements(Dataset.load(path())), StatusCode.INVALID_ARGUMENT, "elements of [float]");
  }

  @Test
  void load_whoseRunIsGone_isNotFound() throws IOException {
    Dataset.range(3).save(path());
    Path chunk = files(".snapshot").getFirst();
    Path run = Path.of(path()).resolve(folder.resolve("saved").relativize(chunk).getName(0));
    Files.move(run, folder.resolve("elsewhere"));

    assertStatus(
        () -> elements(Dataset.load(path())), StatusCode.NOT_FOUND, "its metadata names it");
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void load_ofADamagedChunk_isDataLossThatNamesIt(Compression compression) throws IOException {
    Dataset.range(2000).save(path(), SaveOptions.SAVE.compression(compression));
    Path chunk = files(".snapshot").getFirst();
    byte[] bytes = Files.readAllBytes(chunk);
    bytes[bytes.length / 2] ^= 0x55;
    Files.write(chunk, bytes);

    assertStatus(
        () -> elements(Dataset.load(path(), compression)),
        StatusCode.DATA_LOSS,
        chunk.getFileName().toString());
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void load_ofATruncatedChunk_isDataLossThatNamesIt(Compression compression) throws IOException {
    Dataset.range(2000).save(path(), SaveOptions.SAVE.compression(compression));
    Path chunk = files(".snapshot").getFirst();
    byte[] bytes = Files.readAllBytes(chunk);
    Files.write(chunk, Arrays.copyOf(bytes, bytes.length - 5));

    assertStatus(
        () -> elements(Dataset.load(path(), compression)),
        StatusCode.DATA_LOSS,
        chunk.getFileName().toString());
  }

  @Test
  void load_withAChunkOfAnotherDataset_isRefused() throws IOException {
    Dataset.range(3).save(path());
    Path chunk = files(".snapshot").getFirst();
    Dataset.range(3).map(x -> x.cast(DataType.FLOAT32)).save(folder.resolve("other").toString());
    Path other =
        files(".snapshot").stream().filter(file -> !file.equals(chunk)).findFirst().orElseThrow();
    Files.copy(other, chunk, StandardCopyOption.REPLACE_EXISTING);

    assertStatus(
        () -> elements(Dataset.load(path())),
        StatusCode.INVALID_ARGUMENT,
        chunk + " is of float, and elements of int64");
  }

  /** TensorFlow's own reader takes no Snappy blocks of more than 256 KiB (RESOURCE_EXHAUSTED). */
  @Test
  void load_ofLargeRowsThatStockSaved_givesThem() {
    assertThat(Dataset.load(saved("large"), Compression.SNAPPY).stream())
        .extracting(element -> element.tensor().longs())
        .containsExactly(filled(0), filled(1), filled(2));
  }

  /** TensorFlow's own reader reports an error between the chunks (INTERNAL). */
  @Test
  void load_ofSeveralChunksThatStockSaved_givesTheirElements() {
    assertThat(numbers(Dataset.load(saved("chunks"), Compression.GZIP)))
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
  }

  @Test
  void load_ofWhatAServiceSaved_givesItsElements() {
    Dataset loaded = Dataset.load(saved("distributed"));

    assertThat(loaded.structure()).isEqualTo(Dataset.load(saved("NONE")).structure());
    assertThat(elements(loaded))
        .containsExactlyInAnyOrderElementsOf(elements(Dataset.load(saved("NONE"))));
  }

  @Test
  void load_ofWhatAServiceGaveUp_failsWithItsError() throws IOException {
    Files.copy(
        Path.of(saved("distributed"), "snapshot.metadata"), folder.resolve("snapshot.metadata"));
    Files.writeString(folder.resolve("ERROR"), "code: RESOURCE_EXHAUSTED message: \"full\"");

    assertStatus(
        () -> elements(Dataset.load(folder.toString())), StatusCode.RESOURCE_EXHAUSTED, "full");
  }

  private static String saved(String name) {
    return Path.of("src/test/resources/io/headrace/dataset/execute/recorded/files/saved", name)
        .toString();
  }

  private static long[] filled(long number) {
    long[] row = new long[200_000];
    Arrays.fill(row, number);
    return row;
  }

  @Test
  void load_withRowsBeforeTheDamage_givesThemFirst() throws IOException {
    Dataset.range(10).save(path());
    Path chunk = files(".snapshot").getFirst();
    byte[] bytes = Files.readAllBytes(chunk);
    bytes[bytes.length - 1] ^= 1;
    Files.write(chunk, bytes);
    List<Long> found = new ArrayList<>();

    try (ElementIterator elements = Dataset.load(path()).iterator()) {
      assertStatus(
          () -> {
            while (elements.hasNext()) {
              found.add(elements.next().tensor().longs()[0]);
            }
          },
          StatusCode.DATA_LOSS,
          "checksum");
    }
    assertThat(found).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
  }

  private static Dataset random() {
    return Dataset.random().take(20);
  }

  @Test
  void snapshot_afterAWholePass_isRead() {
    Dataset dataset = random().snapshot(path());
    List<Long> first = numbers(dataset);

    assertThat(numbers(dataset)).hasSize(20).containsExactlyInAnyOrderElementsOf(first);
    assertThat(numbers(random().snapshot(path()))).containsExactlyInAnyOrderElementsOf(first);
    assertThat(files("snapshot.metadata")).hasSize(1);
  }

  @Test
  void snapshot_whoseFirstPassEndsEarly_isNotThere() {
    Dataset dataset = random().snapshot(path());

    assertThat(dataset.take(5).stream().count()).isEqualTo(5);

    assertThat(files("snapshot.metadata")).isEmpty();
    assertThat(files(".snapshot")).isEmpty();
    assertThat(files(".shard")).isEmpty();
  }

  @Test
  void snapshot_ofAnotherGraph_isAnother() {
    assertThat(numbers(Dataset.range(3).snapshot(path()))).hasSize(3);

    assertThat(numbers(Dataset.range(4).snapshot(path()))).hasSize(4);

    assertThat(files("snapshot.metadata")).hasSize(2);
  }

  @Test
  void snapshot_withItsOwnShards_keepsTheOrderOfEach() {
    Dataset dataset =
        Dataset.range(10).snapshot(path(), SaveOptions.SNAPSHOT.shards(x -> x.output().mul(0L)));

    assertThat(numbers(dataset)).isEqualTo(numbers(dataset)).isSorted();
  }

  @Test
  void hash_ofTheSameGraph_isTheSame() {
    assertThat(SavedDatasets.hash(mixed())).isEqualTo(SavedDatasets.hash(mixed()));
    assertThat(SavedDatasets.hash(mixed())).isNotEqualTo(SavedDatasets.hash(mixed().take(3)));
  }

  private Dataset cached(Dataset input) {
    return input.cache(folder.resolve("cache").toString());
  }

  @Test
  void cacheFile_afterAWholePass_isRead() {
    Dataset dataset = cached(random());
    List<Long> first = numbers(dataset);

    assertThat(numbers(dataset)).hasSize(20).isEqualTo(first);
    assertThat(numbers(cached(random()).repeat(2)))
        .startsWith(first.toArray(Long[]::new))
        .hasSize(40);
    assertThat(files(""))
        .extracting(file -> folder.relativize(file).toString())
        .containsExactly("", "cache.data-00000-of-00001", "cache.index");
  }

  @Test
  void cacheFile_ofNothing_isRead() {
    assertThat(numbers(cached(Dataset.range(0)))).isEmpty();

    assertThat(files("")).containsExactly(folder, folder.resolve("cache.index"));
    assertThat(numbers(cached(Dataset.range(3)))).isEmpty();
  }

  @Test
  void cacheFile_ofAPassThatEndsEarly_isNotThere() {
    assertThat(cached(random()).take(3).stream().count()).isEqualTo(3);

    assertThat(files("")).containsExactly(folder);
  }

  @Test
  void cacheFile_whileAnotherPassWrites_isRefused() {
    try (ElementIterator first = cached(random()).iterator()) {
      assertThat(first.next()).isNotNull();

      assertStatus(
          () -> numbers(cached(random())),
          StatusCode.ALREADY_EXISTS,
          "cache lockfile already exists ('" + folder.resolve("cache_0.lockfile"));
      assertThat(first.next()).isNotNull();
    }
    assertThat(numbers(cached(random()))).hasSize(20);
  }

  @Test
  void cacheFile_whoseWriterWasKilled_isRefusedUntilTheLockIsDeleted() throws IOException {
    Path lock = Files.writeString(folder.resolve("cache_0.lockfile"), "Created at: 17");

    assertStatus(
        () -> numbers(cached(random())), StatusCode.ALREADY_EXISTS, "contents: Created at: 17");

    assertThat(lock).exists();
    Files.delete(lock);
    assertThat(numbers(cached(random()))).hasSize(20);
  }

  @Test
  void cacheFile_withAShardOfAnUnfinishedPass_isRefused() throws IOException {
    assertThat(numbers(cached(random()))).hasSize(20);
    Files.move(folder.resolve("cache.index"), folder.resolve("cache_0.index"));

    assertStatus(
        () -> numbers(cached(random())), StatusCode.ALREADY_EXISTS, "Existing cache files found");
  }

  @Test
  void cacheFile_ofAnotherDataset_isRefused() {
    assertThat(numbers(cached(random()))).hasSize(20);

    assertStatus(
        () -> elements(cached(Dataset.zip(random(), random()))),
        StatusCode.INVALID_ARGUMENT,
        "holds the cache of another dataset");
  }

  @Test
  void cacheFile_ofADamagedFile_isDataLossThatNamesIt() throws IOException {
    assertThat(numbers(cached(random()))).hasSize(20);
    Path data = folder.resolve("cache.data-00000-of-00001");
    byte[] bytes = Files.readAllBytes(data);
    bytes[30] ^= 1;
    Files.write(data, bytes);

    assertStatus(
        () -> numbers(cached(random())), StatusCode.DATA_LOSS, data.getFileName().toString());
  }
}

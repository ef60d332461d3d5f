package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots of TensorFlow 1. */
final class LegacySnapshotTest {
  @TempDir private Path folder;

  private Dataset snapshot(Dataset input, UnaryOperator<NodeBuilder> attrs) {
    return unnamed(input, node -> attrs.apply(node).attr("snapshot_name", "numbers"));
  }

  private Dataset unnamed(Dataset input, UnaryOperator<NodeBuilder> attrs) {
    return new Dataset(
        input.structure(),
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    attrs.apply(
                        graph
                            .op("SnapshotDataset")
                            .input(rows)
                            .input(Tensor.scalar(folder.toString()))),
                    input.structure())));
  }

  private Dataset unnamed(Dataset input) {
    return unnamed(input, node -> node);
  }

  private Dataset snapshot(Dataset input) {
    return snapshot(input, node -> node);
  }

  private static Dataset random(int elements) {
    return Dataset.random().take(elements);
  }

  private static List<Long> numbers(Dataset dataset) {
    return dataset.stream().map(element -> element.tensor().longs()[0]).toList();
  }

  private static List<String> elements(Dataset dataset) {
    return dataset.stream().map(Element::toString).toList();
  }

  private Path metadata() {
    return folder.resolve("custom-numbers/snapshot.metadata");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve("custom-numbers/custom"))) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** The names of the folders of snapshots. */
  private List<String> folders() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(snapshot -> snapshot.getFileName().toString()).toList();
    }
  }

  private static void assertStatus(ThrowingCallable call, StatusCode code, String part) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).as(e.message()).isEqualTo(code))
        .hasMessageContaining(part);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GZIP", "SNAPPY"})
  void secondPass_readsWhatTheFirstWrote(String compression) {
    Dataset mixed =
        Dataset.range(100)
            .mapElement(x ->
                Map.of(
                    "a", x.output(),
                    "b", List.of(x.output().mul(2L), x.output().asString())))
            .batch(7);
    UnaryOperator<NodeBuilder> attrs = node -> node.attr("compression", compression);

    assertThat(elements(snapshot(mixed, attrs))).isEqualTo(elements(mixed));
    assertThat(elements(snapshot(mixed.take(0), attrs))).isEqualTo(elements(mixed));
  }

  @Test
  void run_isWholeWithItsLastElement() throws IOException {
    List<Long> first = numbers(snapshot(random(20)).take(20));

    assertThat(SnapshotMetadataRecord.parseFrom(Files.readAllBytes(metadata())).getFinalized())
        .isTrue();
    assertThat(numbers(snapshot(random(20)))).isEqualTo(first);
  }

  @Test
  void passThatEndsEarly_leavesItsInputToPassesBeforeItExpires() throws IOException {
    assertThat(snapshot(random(20)).take(5).stream().count()).isEqualTo(5);

    assertThat(Files.exists(metadata())).isTrue();
    List<Long> first = numbers(snapshot(random(20)));
    assertThat(numbers(snapshot(random(20)))).hasSize(20).isNotEqualTo(first);
  }

  @Test
  void unfinishedRun_thatHasExpired_isWrittenAgain() throws IOException {
    assertThat(snapshot(random(20)).take(5).stream().count()).isEqualTo(5);
    SnapshotMetadataRecord begun = SnapshotMetadataRecord.parseFrom(Files.readAllBytes(metadata()));
    long dayMicros = 86_400_000_000L;
    Files.write(
        metadata(),
        begun.toBuilder()
            .setCreationTimestamp(begun.getCreationTimestamp() - dayMicros)
            .build()
            .toByteArray());

    List<Long> written = numbers(snapshot(random(20)));

    assertThat(numbers(snapshot(random(20)))).isEqualTo(written);
  }

  @Test
  void modes_overrideWhatIsThere() {
    List<Long> written = numbers(snapshot(random(20)));

    List<Long> passed = numbers(snapshot(random(20), node -> node.attr("mode", "passthrough")));
    assertThat(passed).hasSize(20).isNotEqualTo(written);
    assertThat(numbers(snapshot(random(20), node -> node.attr("mode", "read")))).isEqualTo(written);
    List<Long> replaced = numbers(snapshot(random(20), node -> node.attr("mode", "write")));
    assertThat(replaced).isNotEqualTo(written);
    assertThat(numbers(snapshot(random(20)))).isEqualTo(replaced);
  }

  @Test
  void runThatAnotherHasFollowed_leavesThatAlone() {
    UnaryOperator<NodeBuilder> small =
        node -> node.attr("shard_size_bytes", 10).attr("mode", "write");
    List<Long> written;
    try (ElementIterator first = snapshot(random(20), small).iterator();
        ElementIterator second = snapshot(random(20), small).iterator()) {
      assertThat(first.next()).isNotNull();
      assertThat(second.next()).isNotNull();
      written = numbers(snapshot(random(20), small));
      first.forEachRemaining(element -> assertThat(element).isNotNull());
    }

    assertThat(numbers(snapshot(random(20)))).isEqualTo(written);
  }

  @Test
  void read_whereNothingIs_isNotFound() {
    assertStatus(
        () -> numbers(snapshot(random(2), node -> node.attr("mode", "read"))),
        StatusCode.NOT_FOUND,
        "Metadata file does not exist.");
  }

  @Test
  void read_ofAnUnfinishedRun_isNotFound() {
    assertThat(snapshot(random(20)).take(5).stream().count()).isEqualTo(5);

    assertStatus(
        () -> numbers(snapshot(random(2), node -> node.attr("mode", "read"))),
        StatusCode.NOT_FOUND,
        "Could not find any files in dir");
  }

  @Test
  void read_ofElementsOfAnotherType_isInternal() {
    assertThat(numbers(snapshot(random(3)))).hasSize(3);

    assertStatus(
        () -> elements(snapshot(Dataset.range(3).mapElement(x -> x.output().asString()))),
        StatusCode.INTERNAL,
        "Type: 0 doesn't match. Snapshot: 9; dataset: 7");
  }

  @Test
  void filesOfASize_followEachOther() throws IOException {
    UnaryOperator<NodeBuilder> attrs =
        node -> node.attr("shard_size_bytes", 100).attr("num_writer_threads", 2);
    List<Long> written = numbers(snapshot(random(40), attrs));

    assertThat(files()).hasSizeGreaterThan(4);
    assertThat(numbers(snapshot(random(40), attrs))).containsExactlyInAnyOrderElementsOf(written);
  }

  @Test
  void shuffleOnRead_withASeed_givesTheFilesInOneOtherOrder() {
    UnaryOperator<NodeBuilder> attrs = node -> node.attr("num_writer_threads", 20);
    List<Long> written = numbers(snapshot(random(20), attrs));
    UnaryOperator<NodeBuilder> shuffled =
        node -> node.attr("shuffle_on_read", true).attr("seed", 3);

    List<Long> read = numbers(snapshot(random(20), shuffled));

    assertThat(read).isNotEqualTo(written).containsExactlyInAnyOrderElementsOf(written);
    assertThat(numbers(snapshot(random(20), shuffled))).isEqualTo(read);
  }

  @Test
  void failedElement_isNotInTheRun_andThoseAroundItAre() {
    Dataset failing =
        Dataset.range(10)
            .mapElement(x -> x.output().sub(5L))
            .mapElement(x -> x.output().floorDiv(x.output()));
    ElementIterator first = snapshot(failing).iterator();
    List<Long> before =
        IntStream.range(0, 5).mapToObj(_ -> first.next().tensor().longs()[0]).toList();
    assertThat(before).containsOnly(1L);
    assertThatThrownBy(first::next).isInstanceOf(StatusException.class);
    long after = 0;
    while (first.hasNext()) {
      first.next();
      after++;
    }
    first.close();
    assertThat(after).isEqualTo(4);

    assertThat(numbers(snapshot(failing))).hasSize(9);
  }

  @Test
  void withoutAName_isFoundByThePipelineBuiltAnew() throws IOException {
    List<Long> first = numbers(unnamed(random(20)));

    assertThat(numbers(unnamed(random(20)))).hasSize(20).isEqualTo(first);
    assertThat(folders()).singleElement().asString().matches("\\d+");
  }

  @Test
  void withoutAName_isAnotherForAnotherPipeline() throws IOException {
    for (Dataset input :
        List.of(
            random(20),
            random(19),
            random(20).map(x -> x.add(1L)),
            random(20).map(x -> x.add(2L)),
            random(20).map(x -> x.sub(1L)),
            random(5).concatenate(random(15)),
            random(15).concatenate(random(5)))) {
      assertThat(numbers(unnamed(input))).isEqualTo(numbers(unnamed(input)));
    }

    assertThat(folders()).hasSize(7);
  }

  @Test
  void withoutAName_inAFunction_isRefused_unlessItPassesItsInputThrough() {
    assertStatus(
        () -> numbers(random(2).flatMap(_ -> unnamed(random(2)))),
        StatusCode.UNIMPLEMENTED,
        "give it a snapshot_name");
    Dataset passing =
        random(2).flatMap(_ -> unnamed(random(2), node -> node.attr("mode", "passthrough")));
    assertThat(numbers(passing)).hasSize(4);
  }

  @Test
  void invalidAttrs_areRefusedWithTensorFlowsMessages() {
    assertStatus(
        () -> numbers(snapshot(random(2), node -> node.attr("mode", "neither"))),
        StatusCode.INVALID_ARGUMENT,
        "mode must be either 'auto', 'read', 'write', or 'passthrough'.");
    assertStatus(
        () -> numbers(snapshot(random(2), node -> node.attr("compression", "ZLIB"))),
        StatusCode.INVALID_ARGUMENT,
        "compression must be either '', 'GZIP' or 'SNAPPY'.");
    assertStatus(
        () -> numbers(snapshot(random(2), node -> node.attr("pending_snapshot_expiry_seconds", 0))),
        StatusCode.INVALID_ARGUMENT,
        "pending_snapshot_expiry_seconds must be at least 1 second.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "SNAPPY"})
  void damagedFile_isDataLossThatNamesIt(String compression) throws IOException {
    UnaryOperator<NodeBuilder> attrs = node -> node.attr("compression", compression);
    assertThat(numbers(snapshot(random(20), attrs))).hasSize(20);
    Path file = folder.resolve("custom-numbers/custom/00000000.snapshot");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));

    assertStatus(() -> numbers(snapshot(random(20), attrs)), StatusCode.DATA_LOSS, file.toString());
  }
}

package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes that are refused where they are written, and what the errors say. */
final class RefusedArgumentsTest {
  private static void refused(StatusCode code, ThrowingCallable call, String... messages) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(messages);
  }

  @Test
  void batchesWithoutElements_areRefusedAtTheCall() {
    Dataset numbers = Dataset.range(3);
    List<ThrowingCallable> calls =
        List.of(
            () -> numbers.batch(0),
            () -> numbers.batch(0, true, 2),
            () -> numbers.paddedBatch(-1, false, Padding.TO_LONGEST),
            () -> numbers.raggedBatch(0));
    calls.forEach(
        call -> refused(StatusCode.INVALID_ARGUMENT, call, "a batch has at least 1 element"));
  }

  @Test
  void countsThatAreNone_areRefusedAtTheCall() {
    Dataset numbers = Dataset.range(3);
    List<ThrowingCallable> calls =
        List.of(
            () -> numbers.shuffle(0, 1),
            () -> numbers.shuffle(-1, Shuffle.RANDOM),
            () -> numbers.repeat(-2),
            () -> numbers.take(-2),
            () -> numbers.skip(-2),
            () -> numbers.prefetch(-2),
            () -> numbers.map(x -> x, 0),
            () -> numbers.batch(2, false, 0),
            () -> numbers.batch(2).rebatch(false, 2, 0),
            () -> numbers.groupByWindow(SymbolicElement::output, 0, (_, group) -> group.batch(2)));
    calls.forEach(call ->
        assertThatThrownBy(call)
            .extracting(StatusException::codeOf)
            .isEqualTo(StatusCode.INVALID_ARGUMENT));
    refused(StatusCode.INVALID_ARGUMENT, calls.getFirst(), "a buffer of at least 1 element, not 0");
    assertThat(numbers.take(-1).repeat(0).prefetch(0).cardinality()).isZero();
  }

  @Test
  void patternWithoutCharacters_isRefusedAtTheCall() {
    refused(StatusCode.INVALID_ARGUMENT, () -> Dataset.files(""), "was given an empty one");
  }

  @Test
  void shardsThatAreNotThere_areRefusedAtTheCall() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).shard(2, 2),
        "an index from 0 to 1 of 2 shards, and was given 2");
    assertThat(Dataset.range(3).shard(Dataset.SHARD_HINT, 0)).isNotNull();
  }

  @Test
  void classesWithoutAFolder_areRefusedWithTheNamesThatAreThere(@TempDir Path folder)
      throws IOException {
    Files.createDirectories(folder.resolve("day"));
    ImageFolder photos = ImageFolder.of(folder.toString());

    refused(
        StatusCode.NOT_FOUND,
        () -> Dataset.images(photos.classes("day", "nihgt")),
        "has no folder of the class nihgt: it has [day]");
    assertThat(Dataset.images(photos.classes("day"))).isNotNull();
    assertThat(Dataset.images(ImageFolder.of(folder + "/elsewhere").classes("day"))).isNotNull();
  }

  @Test
  void csvFieldsOfOtherTypes_areRefusedWithARemedy() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Csv.of(Field.bool("sold")),
        "field sold is bool",
        "read another type as a string");
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Csv.of(Field.int64("id").at("id")),
        "field id is at the path \"id\", which JSON records have",
        "Field.at(int)");
  }

  @Test
  void filesInFoldersThatAreNotThere_areRefusedWithARemedy(@TempDir Path folder) {
    Tensor pixel = Tensor.of(DataType.UINT8, Shape.of(1, 1, 3), new byte[3]);
    String file = folder.resolve("red/1.png").toString();

    refused(
        StatusCode.NOT_FOUND,
        () -> ImageFiles.write(file, pixel),
        file,
        "its folder must be there first");
  }

  @Test
  void valuesOfAnotherFunction_areRefusedWithARemedy() {
    List<Output> kept = new ArrayList<>();
    assertThat(
            Dataset.range(2)
                .map(x -> {
                  kept.add(x);
                  return x;
                }))
        .isNotNull();

    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(2).map(x -> x.add(kept.getFirst())).cardinality(),
        "it can be used in the function it was given to");
  }

  @Test
  void slicesOfScalarsOrOfUnlikeSizes_areRefusedAtTheCall() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.tensorSlices(Tensor.scalar(1)),
        "a scalar has none; tensors(...)");
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.tensorSlices(Tensor.vector(1, 2), Tensor.vector(1L)),
        "[int32[2], int64[1]]");
  }

  @Test
  void windowsAndCyclesWithoutElements_areRefusedAtTheCall() {
    refused(StatusCode.INVALID_ARGUMENT, () -> Window.of(0), "at least 1, not 0, 0 and 1");
    refused(StatusCode.INVALID_ARGUMENT, () -> Interleave.cycle(0), "not 0 and 1");
    refused(StatusCode.INVALID_ARGUMENT, () -> Interleave.cycle(1).block(0), "not 1 and 0");
  }

  @Test
  void castsOfStrings_areRefusedWithWhatReadsNumbers() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).map(x -> x.asString().cast(DataType.INT32)),
        "string can't be cast to int32: Strings.toNumber");
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).map(x -> x.cast(DataType.STRING)),
        "asString()");
  }

  @Test
  void concatenationOfOtherDtypes_isRefusedWithBothStructures() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).concatenate(Dataset.range(3).map(x -> List.of(x.asString()))),
        "datasets of int64[] and of (string[]) cannot be concatenated: their dtypes differ");
  }

  @Test
  void shapesThatAnOpCannotTake_areRefusedWithTheOpAndItsInputs() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).map(x -> x.matmul(x)),
        "Shape must be rank 2 but is rank 0: []",
        ", in op MatMul of (int64[], int64[])");
  }

  @Test
  void keysThatAreNoInt64_areRefusedWithTheirType() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () ->
            Dataset.range(3)
                .groupByWindow(
                    x -> x.output().cast(DataType.FLOAT32), 2, (_, group) -> group.batch(2)),
        "the key of a group must be a scalar int64, and is float[]");
  }

  @Test
  void conditionsThatAreNoBool_areRefusedWithTheirType() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).filter(x -> x.mul(2)),
        "the condition of filter must be one bool, and is int64[]");
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).takeWhile(x -> x.output().mul(2)),
        "the condition of take_while must be one bool, and is int64[]");
  }

  @Test
  void functionsOfAnotherNumberOfComponents_areRefusedWithTheElement() {
    refused(
        StatusCode.INVALID_ARGUMENT,
        () -> Dataset.range(3).map((x, y) -> x.add(y)),
        "takes 2 components and the element has 1: int64[]; mapElement takes it whole");
  }
}

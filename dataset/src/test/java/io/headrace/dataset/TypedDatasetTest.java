package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@SuppressWarnings("ArrayRecordComponent") // as users' records may have
final class TypedDatasetTest {
  record Row(String text, long id) {}

  record Batch(float[][] rows, long[] ids) {}

  record Flat(float[] rows, Tensor ids) {}

  record Single(int value) {}

  record Id(long id) {}

  record Unsigned(byte[] bytes) {}

  record Names(String[] names, byte[][] raw) {}

  record Unfit(List<String> names) {}

  record Buffers(FloatBuffer rows, LongBuffer ids) {}

  private static Dataset texts() {
    return Dataset.range(3).map(x -> Map.of("id", x, "text", x.asString()));
  }

  private static Dataset batches() {
    return Dataset.range(4).map(x -> Map.of("ids", x, "rows", row(x))).batch(2);
  }

  private static Output row(Output x) {
    return x.cast(DataType.FLOAT32).reshape(1).add(x.cast(DataType.FLOAT32).mul(0.5));
  }

  private static void refused(Dataset dataset, Class<? extends Record> type, String... messages) {
    assertThatThrownBy(() -> dataset.as(type))
        .isInstanceOf(StatusException.class)
        .hasMessageContainingAll(messages);
  }

  @Test
  void as_ofAMap_takesItsPartsByName() {
    assertThat(texts().as(Row.class))
        .containsExactly(new Row("0", 0), new Row("1", 1), new Row("2", 2));
  }

  @Test
  void as_ofARecordThatLacksParts_namesThem() {
    refused(texts(), Id.class, "the record has no text: add what it lacks, or leave it out");
  }

  @Test
  void as_ofATuple_takesItsPartsInOrder() {
    assertThat(Dataset.range(2).map(x -> List.of(x.asString(), x)).as(Row.class).stream())
        .containsExactly(new Row("0", 0), new Row("1", 1));
  }

  @Test
  void as_ofASingleComponent_takesIt() {
    assertThat(Dataset.range(2).map(x -> x.cast(DataType.INT32)).as(Single.class))
        .containsExactly(new Single(0), new Single(1));
  }

  @Test
  void as_ofBatchesInBuffers_givesDirectOnesOfExactlyTheirValues() {
    Buffers second = batches().as(Buffers.class).stream().toList().get(1);

    assertThat(second.ids()).isEqualTo(LongBuffer.wrap(new long[] {2, 3}));
    assertThat(second.rows()).isEqualTo(FloatBuffer.wrap(new float[] {3, 4.5f}));
    assertThat(second.rows().isDirect()).isTrue();
  }

  @Test
  void as_ofABufferOfAnotherType_isRefused() {
    record Ints(IntBuffer ids, Tensor rows) {}

    refused(
        batches(),
        Ints.class,
        "ids is a IntBuffer, which holds int32 or uint32 tensors of any rank");
  }

  @Test
  void fromIterable_ofBuffers_isRefused() {
    assertThatThrownBy(() -> Dataset.fromIterable(Buffers.class, List.of()))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("says their ranks by arrays, and a FloatBuffer does not");
  }

  @Test
  void as_ofBatches_givesArraysOfExactlyTheirValues() {
    List<Batch> read = batches().as(Batch.class).stream().toList();

    assertThat(read.get(1).ids()).containsExactly(2, 3);
    assertThat(read.get(1).rows()).isDeepEqualTo(new float[][] {{3}, {4.5f}});
  }

  @Test
  void as_withAOneDimensionalArray_takesHigherRanksInRowMajorOrder() {
    Flat first = batches().as(Flat.class).iterator().next();

    assertThat(first.rows()).containsExactly(0, 1.5f);
    assertThat(first.ids().longs()).containsExactly(0, 1);
  }

  @Test
  void as_ofBytesAndStrings_givesThem() {
    Dataset bytes =
        Dataset.tensors(Tensor.of(DataType.UINT8, Shape.of(2), new byte[] {(byte) 200, 1}));
    Dataset names = Dataset.tensors(Tensor.vector("a", "b")).map(x -> Map.of("names", x, "raw", x));

    assertThat(bytes.as(Unsigned.class).iterator().next().bytes())
        .containsExactly((byte) 200, (byte) 1);
    Names read = names.as(Names.class).iterator().next();
    assertThat(read.names()).containsExactly("a", "b");
    assertThat(read.raw()).isDeepEqualTo(new byte[][] {{'a'}, {'b'}});
  }

  @Test
  void as_ofElementsThatDoNotFit_isInvalidArgumentNamingBothSides() {
    refused(
        texts().mapElement(e -> Map.of("id", e.get("id"), "name", e.get("text"))),
        Row.class,
        "the record Row(String text, long id) does not fit elements of {id: int64[], name:"
            + " string[]}: the elements have no text; the record has no name: add what it lacks");
    refused(
        texts().mapElement(e -> Map.of("id", e.get("text"), "text", e.get("text"))),
        Row.class,
        "id is a long, which holds int64 or uint64 scalars, and the elements have string[]");
    refused(
        texts().batch(2),
        Row.class,
        "text is a String, which holds string scalars, and the elements have string[?]");
    refused(
        Dataset.range(3), Unfit.class, "component names of record Unfit", "List can be no part");
  }

  @Test
  void as_withoutTheBatch_orWithOneTooMany_saysSo() {
    record Ids(long[] ids) {}

    refused(
        Dataset.range(3),
        Ids.class,
        "ids is a long[], which holds int64 or uint64 vectors, and the elements have int64[], which"
            + " is a scalar: batch makes vectors of scalars");
    refused(
        Dataset.range(3).batch(2),
        Id.class,
        "the elements have int64[?]: unbatch takes a dimension away, or give the record an array");
  }

  @Test
  void as_ofElementsThatDifferInSeveralPlaces_namesAll() {
    record Pair(Id left, long right) {}

    refused(
        Dataset.range(3),
        Row.class,
        "the record has 2 components, and the elements have 1 parts; text is a String, which holds"
            + " string scalars, and the elements have int64[]");
    refused(
        texts().mapElement(e -> Map.of("id", e.get("text"), "text", e.get("id"))),
        Row.class,
        "text is a String, which holds string scalars, and the elements have int64[]; id is a long,"
            + " which holds int64 or uint64 scalars, and the elements have string[]");
    refused(
        texts().mapElement(e -> Map.of("left", e, "right", e.get("text"))),
        Pair.class,
        "in left, the record has no text: ",
        "; right is a long, which holds int64 or uint64 scalars, and the elements have string[]");
  }

  @Test
  void iterator_ofATypedDataset_canBeClosedEarly() {
    TypedIterator<Row> rows = texts().as(Row.class).iterator();
    rows.next();
    rows.close();

    assertThat(rows.hasNext()).isFalse();
  }
}

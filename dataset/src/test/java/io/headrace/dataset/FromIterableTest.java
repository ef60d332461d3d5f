package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@SuppressWarnings("ArrayRecordComponent") // as users' records may have
final class FromIterableTest {
  private static final Structure NUMBER = new Structure.Component(DataType.INT64, Shape.SCALAR);

  record Reading(
      long id, float[] values, @Nullable String name, boolean ok, byte[] raw, int[][] grid) {}

  record Point(double x, double y) {}

  record Segment(Point from, Point to) {}

  @Test
  void fromIterable_ofRecords_givesMapsByTheirNames() {
    Dataset dataset =
        Dataset.fromIterable(
            Reading.class,
            List.of(
                new Reading(7, new float[] {1, 2}, "a", true, new byte[] {3}, new int[][] {{4, 5}}),
                new Reading(8, new float[0], "", false, new byte[0], new int[0][0])));

    assertThat(dataset.structure())
        .hasToString(
            "{grid: int32[?,?], id: int64[], name: string[], ok: bool[], raw: string[],"
                + " values: float[?]}");
    assertThat(dataset.cardinality()).isEqualTo(2);
    List<Reading> read = dataset.as(Reading.class).stream().toList();
    assertThat(read)
        .usingRecursiveComparison()
        .isEqualTo(
            List.of(
                new Reading(7, new float[] {1, 2}, "a", true, new byte[] {3}, new int[][] {{4, 5}}),
                new Reading(8, new float[0], "", false, new byte[0], new int[0][0])));
  }

  @Test
  void fromIterable_ofRecordsOfRecords_nests() {
    Segment segment = new Segment(new Point(1, 2), new Point(3, 4));
    Dataset dataset = Dataset.fromIterable(Segment.class, List.of(segment));

    assertThat(dataset.structure())
        .hasToString("{from: {x: double[], y: double[]}, to: {x: double[], y: double[]}}");
    assertThat(dataset.as(Segment.class)).containsExactly(segment);
  }

  @Test
  void fromIterable_ofManyElements_goesThroughTransformationsAndPasses() {
    List<List<Tensor>> rows =
        IntStream.range(0, 3_000).mapToObj(i -> List.of(Tensor.scalar((long) i))).toList();
    Dataset dataset = Dataset.fromIterable(NUMBER, rows).map(x -> x.mul(2)).repeat(2).skip(2_999);

    assertThat(dataset.stream().limit(3).map(Element::asLong)).containsExactly(5_998L, 0L, 2L);
    assertThat(dataset.stream().count()).isEqualTo(3_001);
  }

  @Test
  void fromIterable_thatIsNoCollection_isAskedForNoMoreThanIsRead() {
    int[] asked = {0};
    Iterable<List<Tensor>> endless =
        () ->
            new Iterator<>() {
              @Override
              public boolean hasNext() {
                return true;
              }

              @Override
              public List<Tensor> next() {
                return List.of(Tensor.scalar((long) asked[0]++));
              }
            };

    assertThat(Dataset.fromIterable(NUMBER, endless).take(3).stream().map(Element::asLong))
        .containsExactly(0L, 1L, 2L);
    assertThat(asked[0]).isEqualTo(3);
  }

  @Test
  @SuppressWarnings("NullAway") // the null that it refuses
  void recordThatIsNull_isInvalidArgument() {
    Dataset dataset =
        Dataset.fromIterable(Point.class, Arrays.asList(new Point(1, 2), null, new Point(3, 4)));

    assertThatThrownBy(() -> dataset.as(Point.class).forEach(_ -> {}))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("element 1 of the Iterable is null");
  }

  @Test
  void element_ofAnotherStructure_isInvalidArgumentInItsPlace() {
    Dataset dataset =
        Dataset.fromIterable(
            NUMBER,
            List.of(
                List.of(Tensor.scalar(1L)),
                List.of(Tensor.scalar(1f)),
                List.of(Tensor.vector(1L)),
                List.of(),
                List.of(Tensor.scalar(2L))));

    try (ElementIterator pass = dataset.iterator()) {
      assertThat(pass.next().asLong()).isEqualTo(1);
      assertThatThrownBy(pass::next).hasMessageContaining("must be int64[], and is float[]");
      assertThatThrownBy(pass::next).hasMessageContaining("must be int64[], and is int64[1]");
      assertThatThrownBy(pass::next).hasMessageContaining("must have 1 components, and has 0");
      assertThat(pass.next().asLong()).isEqualTo(2);
    }
  }

  @Test
  void iterator_thatThrows_failsThePassThere() {
    Iterable<List<Tensor>> failing =
        () -> List.of(1L, 0L).stream().map(x -> List.of(Tensor.scalar(6 / x))).iterator();
    Dataset dataset = Dataset.fromIterable(NUMBER, failing);

    try (ElementIterator pass = dataset.iterator()) {
      assertThat(pass.next().asLong()).isEqualTo(6);
      assertThatThrownBy(pass::next)
          .isInstanceOf(StatusException.class)
          .hasMessageContaining("the Iterable of a dataset failed: java.lang.ArithmeticException");
      assertThat(pass.hasNext()).isFalse();
    }
  }

  @Test
  void record_withANull_isInvalidArgumentNamingTheComponent() {
    Dataset dataset =
        Dataset.fromIterable(
            Reading.class,
            List.of(new Reading(1, new float[0], null, true, new byte[0], new int[0][0])));

    assertThatThrownBy(() -> dataset.iterator().next())
        .hasMessageContaining("component name of a record Reading(")
        .hasMessageContaining("is null");
  }

  @Test
  void record_withRaggedArrays_isInvalidArgumentNamingTheComponent() {
    Dataset dataset =
        Dataset.fromIterable(
            Reading.class,
            List.of(
                new Reading(1, new float[0], "", true, new byte[0], new int[][] {{1}, {2, 3}})));

    assertThatThrownBy(() -> dataset.iterator().next())
        .hasMessageContaining("grid")
        .hasMessageContaining("differ in length");
  }
}

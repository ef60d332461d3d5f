package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.origin.Origins;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChunkTest {
  private static final Chunk NUMBERS =
      Chunk.of(4, List.of(new Column.Stacked(Tensor.vector(10L, 11, 12, 13)))).withPosition(100);

  @Test
  void slice_keepsValuesAndPosition() {
    Chunk slice = NUMBERS.slice(1, 3);

    assertThat(slice.position()).isEqualTo(101);
    assertThat(slice.row(1).getFirst().integer(0)).isEqualTo(12);
  }

  @Test
  void gather_picksRowsInTheirOrder() {
    Chunk picked = NUMBERS.gather(new int[] {3, 0, 0, 9}, 3);

    assertThat(((Column.Stacked) picked.column(0)).tensor().longs()).containsExactly(13, 10, 10);
  }

  @Test
  void concat_ofStackedColumns_isStacked() {
    Chunk both = Chunk.concat(List.of(NUMBERS.slice(2, 4), NUMBERS.slice(0, 1)));

    assertThat(((Column.Stacked) both.column(0)).tensor().longs()).containsExactly(12, 13, 10);
  }

  @Test
  void concat_ofRowsOfDifferentShapes_isListed() {
    Chunk one = Chunk.ofElement(List.of(Tensor.vector(1L)));
    Chunk two = Chunk.ofElement(List.of(Tensor.vector(2L, 3L)));

    assertThat(Chunk.concat(List.of(one, two)).column(0).row(1).shape()).isEqualTo(Shape.of(2));
  }

  @Test
  void stack_ofRowsOfDifferentShapes_isRefusedAsTensorFlowDoes() {
    Column column =
        new Column.Listed(DataType.INT64, List.of(Tensor.vector(1L), Tensor.vector(2L, 3L)));

    assertThatThrownBy(() -> Column.stack(column))
        .hasMessageContaining("First element had shape [1] and element 1 had shape [2].");
  }

  @Test
  void origins_followTheRows() {
    Chunk chunk =
        new Chunk(
            4,
            NUMBERS.columns(),
            0,
            new Origins.Builder().addRecords(3, 0, 7, 50).addRecords(1, 0, 8, 0).build());

    Origins slice = new Origins.Builder().addRecords(1, 0, 7, 52).addRecords(1, 0, 8, 0).build();
    assertThat(chunk.slice(2, 4).origins()).isEqualTo(slice);
    assertThat(chunk.gather(new int[] {2, 3}, 2).origins()).isEqualTo(slice);
    assertThat(Chunk.concat(List.of(chunk.slice(0, 2), chunk.slice(2, 4))).origins())
        .isEqualTo(chunk.origins());
  }

  @Test
  void columnsOfDifferentLengths_areRefused() {
    assertThatThrownBy(() -> Chunk.of(3, NUMBERS.columns()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

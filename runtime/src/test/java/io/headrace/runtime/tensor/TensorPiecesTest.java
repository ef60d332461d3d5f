package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches of large rows, whose arrays are joined only when someone asks for one array. */
final class TensorPiecesTest {
  private static final int ROWS = 3;
  private static final int ELEMENTS = 5000;

  @Test
  void pieces_ofABatchOfLargeRows_areTheRows_untilTheyAreJoined() {
    List<Tensor> rows = rows(ELEMENTS);
    Tensor batch = Column.stackRows(rows);

    assertThat(TensorMemory.pieces(batch)).containsExactlyElementsOf(rows);
    assertThat(TensorMemory.pieces(batch.reshape(Shape.of(ROWS * ELEMENTS)))).hasSize(ROWS);
    assertThat((float[]) TensorMemory.array(batch)).containsExactly(values(ROWS * ELEMENTS));
    assertThat(TensorMemory.pieces(batch)).containsExactly(batch);
  }

  @Test
  void pieces_ofSmallRows_andOfRowsOfALargerArray_areOneArray() {
    Tensor large = Tensor.wrap(DataType.FLOAT32, Shape.of(ROWS, ELEMENTS), values(ROWS * ELEMENTS));

    assertThat(TensorMemory.pieces(Column.stackRows(rows(10)))).hasSize(1);
    assertThat(TensorMemory.pieces(Column.stackRows(List.of(large.row(0), large.row(1)))))
        .hasSize(1);
  }

  /** Each way to read is tried before anything has joined the pieces, and after. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void values_areThoseOfTheRows(boolean joined) {
    float[] all = values(ROWS * ELEMENTS);
    assertThat(batch(joined).floats()).isEqualTo(all);
    assertThat(batch(joined).row(1).floats()).isEqualTo(rows(ELEMENTS).get(1).floats());
    assertThat(batch(joined).rows(1, 3).row(1).floats()).isEqualTo(rows(ELEMENTS).get(2).floats());
    assertThat(batch(joined).rows(0, ROWS).floats()).isEqualTo(all);
    assertThat(batch(joined).detach().floats()).isEqualTo(all);
    assertThat(batch(joined).byteSize()).isEqualTo(4L * ROWS * ELEMENTS);
    assertThat(batch(joined).reshape(Shape.of(ELEMENTS, ROWS)).row(7).floats())
        .containsExactly(21, 22, 23);
    assertThat(batch(joined).toString()).startsWith("float[3,5000] [[0.0 1.0 2.0");
  }

  @Test
  void copyTo_ofPieces_writesThemInTheBuffersOrder() {
    ByteBuffer buffer = ByteBuffer.allocate(4 * ROWS * ELEMENTS + 4).order(ByteOrder.BIG_ENDIAN);
    Column.stackRows(rows(ELEMENTS)).copyTo(buffer.putInt(7));
    buffer.flip().getInt();

    float[] copied = new float[ROWS * ELEMENTS];
    buffer.asFloatBuffer().get(copied);
    assertThat(copied).isEqualTo(values(ROWS * ELEMENTS));
    assertThat(Column.stackRows(rows(ELEMENTS)).toDirectBuffer().asFloatBuffer().get(ELEMENTS))
        .isEqualTo(ELEMENTS);
  }

  @Test
  void rows_ofPieces_areThesePieces() {
    List<Tensor> rows = rows(ELEMENTS);
    Tensor batch = Column.stackRows(rows);

    assertThat(TensorMemory.pieces(batch.rows(1, 3))).containsExactly(rows.get(1), rows.get(2));
    assertThat(TensorMemory.pieces(batch)).hasSize(ROWS);
    assertThat(TensorMemory.part(batch, Shape.of(ELEMENTS), 2 * ELEMENTS).floats())
        .isEqualTo(rows.get(2).floats());
    assertThat(TensorMemory.part(batch, Shape.of(2), ELEMENTS - 1).floats())
        .containsExactly(ELEMENTS - 1, ELEMENTS);
    assertThat(TensorMemory.part(batch, Shape.of(0, 7), ELEMENTS).elements()).isZero();
  }

  @Test
  void batchOfBatches_isOfThePiecesOfBoth() {
    Tensor batch = Column.stackRows(rows(ELEMENTS));
    Tensor batches = Column.stackRows(List.of(batch, batch));

    assertThat(batches.shape()).isEqualTo(Shape.of(2, ROWS, ELEMENTS));
    assertThat(batches.row(1).row(2).floats()).isEqualTo(rows(ELEMENTS).get(2).floats());
    assertThat(batches.floats()).hasSize(2 * ROWS * ELEMENTS).endsWith(batch.floats());
  }

  @Test
  void concat_ofColumnsOfLargeRows_isReadRowByRow() {
    List<Column> columns = rows(ELEMENTS).stream().map(Column::ofRow).toList();
    Column all = Column.concat(columns);

    assertThat(all.rows()).isEqualTo(ROWS);
    for (int i = 0; i < ROWS; i++) {
      assertThat(all.row(i).floats()).isEqualTo(rows(ELEMENTS).get(i).floats());
    }
    assertThat(all.gather(new int[] {2, 0}, 2).row(0).floats())
        .isEqualTo(rows(ELEMENTS).get(2).floats());
  }

  private static Tensor batch(boolean joined) {
    Tensor batch = Column.stackRows(rows(ELEMENTS));
    if (joined) {
      assertThat(TensorMemory.array(batch)).isInstanceOf(float[].class);
    }
    return batch;
  }

  private static List<Tensor> rows(int elements) {
    List<Tensor> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      float[] row = new float[elements];
      for (int j = 0; j < elements; j++) {
        row[j] = i * elements + j;
      }
      rows.add(Tensor.wrap(DataType.FLOAT32, Shape.of(elements), row));
    }
    return rows;
  }

  private static float[] values(int count) {
    float[] values = new float[count];
    IntStream.range(0, count).forEach(i -> values[i] = i);
    return values;
  }
}

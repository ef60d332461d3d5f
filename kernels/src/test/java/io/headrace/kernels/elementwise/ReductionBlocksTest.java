package io.headrace.kernels.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns are reduced alike, whether they lie beside many others or beside a few. */
class ReductionBlocksTest {
  private static final int GROUPS = 2;
  private static final int LENGTH = 7;

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 1000, 1024, 1025, 2500})
  void run_alongAMiddleAxis(int width) {
    BitSet middle = new BitSet();
    middle.set(1);
    for (DataType dtype : List.of(DataType.FLOAT32, DataType.FLOAT16, DataType.UINT8)) {
      Reduction max =
          new Reduction(
              dtype, Expression::max, Expression.constant(dtype, 0L), (total, _) -> total);
      for (Reduction reduction : List.of(max, ReductionOps.sum(dtype))) {
        Tensor input = random(dtype, width);
        Tensor all = reduction.run(input, middle, Shape.of(GROUPS, width), new Cancellation());
        for (int column = 0; column < width; column++) {
          Tensor one =
              reduction.run(column(input, column), middle, Shape.of(GROUPS), new Cancellation());
          for (int group = 0; group < GROUPS; group++) {
            Object expected = dtype.kind().newArray(1);
            Object actual = dtype.kind().newArray(1);
            copy(one, group, expected, 0);
            copy(all, group * width + column, actual, 0);
            assertThat(actual).as("%s, column %d of %d", dtype, column, width).isEqualTo(expected);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 4097, 5120, 10_000})
  void run_alongLongRows(int length) {
    BitSet last = new BitSet();
    last.set(2);
    Tensor floats = random(DataType.FLOAT32, length);
    Tensor bytes = random(DataType.UINT8, length);
    Reduction max =
        new Reduction(
            DataType.FLOAT32,
            Expression::max,
            Expression.constant(DataType.FLOAT32, -1d),
            (total, _) -> total);
    Shape shape = Shape.of(GROUPS, LENGTH);
    float[] maxima = (float[]) TensorMemory.array(max.run(floats, last, shape, new Cancellation()));
    byte[] sums =
        (byte[])
            TensorMemory.array(
                ReductionOps.sum(DataType.UINT8).run(bytes, last, shape, new Cancellation()));
    for (int row = 0; row < GROUPS * LENGTH; row++) {
      float largest = -1;
      int sum = 0;
      for (int i = row * length; i < (row + 1) * length; i++) {
        largest = Math.max(largest, ((float[]) TensorMemory.array(floats))[i]);
        sum += ((byte[]) TensorMemory.array(bytes))[i];
      }
      assertThat(Float.valueOf(maxima[row])).isEqualTo(Float.valueOf(largest));
      assertThat(sums[row]).isEqualTo((byte) sum);
    }
  }

  private static Tensor random(DataType dtype, int width) {
    ElementKind kind = dtype.kind();
    Object array = kind.newArray(GROUPS * LENGTH * width);
    Random random = new Random(width);
    for (int i = 0; i < GROUPS * LENGTH * width; i++) {
      switch (array) {
        case float[] floats ->
            floats[i] = random.nextInt(50_000) == 0 ? Float.NaN : random.nextFloat();
        case short[] halves -> halves[i] = Float.floatToFloat16(random.nextFloat());
        case byte[] bytes -> bytes[i] = (byte) random.nextInt();
        default -> throw new AssertionError(dtype);
      }
    }
    return Tensor.wrap(dtype, Shape.of(GROUPS, LENGTH, width), array);
  }

  private static Tensor column(Tensor input, int column) {
    Object array = input.dtype().kind().newArray(GROUPS * LENGTH);
    int width = (int) input.shape().size(2);
    for (int i = 0; i < GROUPS * LENGTH; i++) {
      copy(input, i * width + column, array, i);
    }
    return Tensor.wrap(input.dtype(), Shape.of(GROUPS, LENGTH), array);
  }

  private static void copy(Tensor from, int element, Object to, int at) {
    from.dtype()
        .kind()
        .copy(TensorMemory.array(from), TensorMemory.offset(from) + element, to, at, 1);
  }
}

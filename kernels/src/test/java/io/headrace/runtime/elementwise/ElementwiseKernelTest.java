package io.headrace.runtime.elementwise;

import static io.headrace.runtime.tensor.DataType.COMPLEX64;
import static io.headrace.runtime.tensor.DataType.FLOAT32;
import static io.headrace.runtime.tensor.DataType.FLOAT64;
import static io.headrace.runtime.tensor.DataType.INT64;
import static io.headrace.runtime.tensor.DataType.UINT64;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ElementwiseKernelTest {
  private static final Expression A = new Expression.Input(0, FLOAT32);
  private static final Expression B = new Expression.Input(1, FLOAT32);

  private static Tensor numbers(long... shape) {
    Shape known = Shape.of(shape);
    float[] values = new float[known.elements()];
    Random random = new Random(Arrays.hashCode(shape));
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextInt(1000);
    }
    return Tensor.wrap(FLOAT32, known, values);
  }

  private static long[] dimensions(String text) {
    return text.isEmpty()
        ? new long[0]
        : Arrays.stream(text.split("x")).mapToLong(Long::parseLong).toArray();
  }

  /** The operand of {@code tensor} for index {@code at} of a result of {@code shape}. */
  private static float element(Tensor tensor, Shape shape, int at) {
    int offset = 0;
    int stride = 1;
    int rest = at;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      int own = axis - (shape.rank() - tensor.shape().rank());
      if (own >= 0) {
        int size = (int) tensor.shape().size(own);
        offset += size == 1 ? 0 : (int) (rest % shape.size(axis)) * stride;
        stride *= size;
      }
      rest /= (int) shape.size(axis);
    }
    return tensor.floats()[offset];
  }

  @ParameterizedTest
  @CsvSource({
    "'','',''",
    "3,'',3",
    "3,3,3",
    "2x3,3,2x3",
    "2x1,3,2x3",
    "4x1x5,3x1,4x3x5",
    "512x8,8,512x8",
    "20x70x3,3,20x70x3",
    "100x100x3,100x100x1,100x100x3",
    "100x1x100,1x100x1,100x100x100",
    "7x200,7x1,7x200",
    "9x5000,5000,9x5000",
    "50000x3,1x3,50000x3",
    "3x1,1x50000,3x50000",
    "70x2x600,70x1x600,70x2x600",
    "0x3,3,0x3",
  })
  void apply_broadcast_repeatsElements(String left, String right, String result) {
    Tensor a = numbers(dimensions(left));
    Tensor b = numbers(dimensions(right));
    Shape shape = Shape.of(dimensions(result));

    Tensor difference = ElementwiseKernel.of(A.sub(B), List.of(FLOAT32, FLOAT32)).apply(a, b);

    float[] expected = new float[shape.elements()];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = element(a, shape, i) - element(b, shape, i);
    }
    assertThat(difference.shape()).isEqualTo(shape);
    assertThat(difference.floats()).isEqualTo(expected);
  }

  @Test
  void apply_view_readsFromItsOffset() {
    Tensor rows = numbers(4, 100_000);
    Tensor sum =
        ElementwiseKernel.of(A.add(B), List.of(FLOAT32, FLOAT32)).apply(rows.row(1), rows.row(3));
    assertThat(sum.floats()[99_999]).isEqualTo(rows.floats()[199_999] + rows.floats()[399_999]);
  }

  private static Tensor complexNumbers(long... shape) {
    Shape known = Shape.of(shape);
    float[] parts = new float[2 * known.elements()];
    Random random = new Random(Arrays.hashCode(shape));
    for (int i = 0; i < parts.length; i++) {
      parts[i] = random.nextFloat() - 0.5f;
    }
    return Tensor.wrap(COMPLEX64, known, parts);
  }

  /** Stages, blocks and cut loops give each element the value that it has alone. */
  @ParameterizedTest
  @CsvSource({"50000,50000", "50000,''", "300x200,200", "300x200,300x1", "300x1,200", "7x5000,7x1"})
  void apply_complexNumbersInBlocks_areThoseOfSingleElements(String left, String right) {
    Tensor z = complexNumbers(dimensions(left));
    Tensor w = complexNumbers(dimensions(right));
    Expression a = new Expression.Input(0, COMPLEX64);
    Expression b = new Expression.Input(1, COMPLEX64);
    Expression sine = b.apply(ScalarOperation.SIN).add(a.apply(ScalarOperation.TANH));
    ElementwiseKernel kernel =
        ElementwiseKernel.of(a.apply(ScalarOperation.EXP).div(sine), List.of(COMPLEX64, COMPLEX64));

    Tensor all = kernel.apply(z, w);

    int width = (int) all.shape().size(all.shape().rank() - 1);
    for (int i = 0; i < all.elements(); i += 997) {
      Tensor one = kernel.apply(operand(z, i, width), operand(w, i, width));
      assertThat(Arrays.copyOfRange(all.floats(), 2 * i, 2 * i + 2)).isEqualTo(one.floats());
    }
  }

  /** The operand of result {@code i}, alone, of results in rows of {@code width}. */
  private static Tensor operand(Tensor tensor, int i, int width) {
    int rank = tensor.shape().rank();
    boolean isColumn = rank == 2 && tensor.shape().size(1) == 1;
    int at = isColumn ? i / width : rank == 2 ? i : i % width;
    int from = rank == 0 ? 0 : 2 * at;
    float[] parts = Arrays.copyOfRange(tensor.floats(), from, from + 2);
    return Tensor.wrap(COMPLEX64, Shape.SCALAR, parts);
  }

  @Test
  void apply_longChain_isCutAndStillRight() {
    Expression x = new Expression.Input(0, INT64);
    Expression chain = x;
    for (int i = 0; i < 20_000; i++) {
      chain = chain.mul(Expression.constant(INT64, 3)).add(x);
    }
    Tensor result =
        ElementwiseKernel.of(chain, List.<DataType>of(INT64)).apply(Tensor.vector(1L, -5L));
    long expected = 1;
    for (int i = 0; i < 20_000; i++) {
      expected = expected * 3 + 1;
    }
    assertThat(result.longs()).containsExactly(expected, -5 * expected);
  }

  private static Tensor unsigned(Expression of, DataType dtype, long... values) {
    return ElementwiseKernel.of(of, List.of(dtype)).apply(integers(dtype, values));
  }

  private static Tensor integers(DataType dtype, long... values) {
    Object array =
        dtype == UINT64 ? values : Arrays.stream(values).mapToInt(value -> (int) value).toArray();
    return Tensor.wrap(dtype, Shape.of(values.length), array);
  }

  @ParameterizedTest
  @EnumSource(names = {"UINT32", "UINT64"})
  void apply_signAndAbsoluteOfLargeUnsigned_arePositive(DataType dtype) {
    Expression x = new Expression.Input(0, dtype);
    Expression sign = x.apply(ScalarOperation.SIGN);

    assertThat(unsigned(sign, dtype, 0, 1, -1, Long.MIN_VALUE | Integer.MIN_VALUE).integers())
        .containsExactly(0, 1, 1, 1);
    assertThat(unsigned(x.abs(), dtype, 0, 7, -1).integers())
        .isEqualTo(integers(dtype, 0, 7, -1).integers());
  }

  @ParameterizedTest
  @EnumSource(names = {"UINT32", "UINT64"})
  void apply_largeUnsignedExponent_isNoError(DataType dtype) {
    Expression x = new Expression.Input(0, dtype);
    Expression power = x.same(3).apply(ScalarOperation.POW, x);

    // 3 has the order 2^30 or 2^62, which divides the exponents -1 + 1.
    Tensor inverse = unsigned(power, dtype, 0, 5, -1);

    assertThat(inverse.integer(0)).isEqualTo(1);
    assertThat(inverse.integer(1)).isEqualTo(243);
    assertThat((int) (3 * inverse.integer(2))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0x1.c2fe58323bfafp51, 0x1.8p0, 0x1.0000000000001p51, 0x1p51})
  void apply_powerOfNegativeZero_hasASignForOddIntegersOnly(double exponent) {
    Expression x = new Expression.Input(0, FLOAT64);
    Expression power = x.same(-0.0).apply(ScalarOperation.POW, x);

    Tensor exponents = Tensor.wrap(FLOAT64, Shape.of(2), new double[] {exponent, -exponent});

    Tensor powers = ElementwiseKernel.of(power, List.of(FLOAT64)).apply(exponents);

    assertThat(powers.doubles()).containsExactly(0.0, Double.POSITIVE_INFINITY);
  }
}

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
import java.lang.reflect.Array;
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

  private static boolean mask(int i, int of) {
    return ((i * 0x9e3779b97f4a7c15L) >>> (32 + of) & 1) == 1;
  }

  private static Tensor masks(int count, int of) {
    boolean[] values = new boolean[count];
    for (int i = 0; i < count; i++) {
      values[i] = mask(i, of);
    }
    return Tensor.wrap(DataType.BOOL, Shape.of(count), bytes(values));
  }

  private static byte[] bytes(boolean... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (values[i] ? 1 : 0);
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT16", "FLOAT32", "FLOAT64", "INT32", "INT64"})
  void apply_logicAsNumbers_isThatOfBools(DataType dtype) {
    int count = 10_000;
    Expression p = new Expression.Input(0, DataType.BOOL);
    Expression q = new Expression.Input(1, DataType.BOOL);
    Expression x = new Expression.Input(2, FLOAT32);
    Expression both = p.and(x.lessThan(x.same(0.5)));
    Expression logic = both.or(p.apply(ScalarOperation.XOR, q).not()).and(q.or(both));
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i % 7 == 0 ? Float.NaN : i % 11 / 10f;
    }

    Tensor result =
        ElementwiseKernel.of(
                logic.convert(dtype).neg(), List.of(DataType.BOOL, DataType.BOOL, FLOAT32))
            .apply(masks(count, 0), masks(count, 1), Tensor.vector(numbers));
    double[] results =
        ElementwiseKernel.of(new Expression.Input(0, dtype).convert(FLOAT64), List.of(dtype))
            .apply(result)
            .doubles();

    for (int i = 0; i < count; i++) {
      boolean of = mask(i, 0) && numbers[i] < 0.5f;
      boolean expected = (of || mask(i, 0) == mask(i, 1)) && (mask(i, 1) || of);
      assertThat(results[i]).isEqualTo(expected ? -1.0 : dtype.isFloating() ? -0.0 : 0.0);
    }
  }

  @Test
  void apply_deepLogicOfSharedMasksAsNumbers_isCutAndStillRight() {
    Expression x = new Expression.Input(0, DataType.BOOL);
    Expression chain = x;
    for (int i = 0; i < 5000; i++) {
      chain = chain.and(chain).or(x);
    }
    Tensor result =
        ElementwiseKernel.of(chain.convert(FLOAT32), List.of(DataType.BOOL))
            .apply(Tensor.wrap(DataType.BOOL, Shape.of(2), bytes(true, false)));
    assertThat(result.floats()).containsExactly(1f, 0f);
  }

  @ParameterizedTest
  @EnumSource(names = {"INT8", "UINT8", "INT16", "UINT16"})
  void apply_narrowIntegersTimesIntegers_areExact(DataType dtype) {
    int count = 70_000;
    Object narrow = dtype.byteSize() == 1 ? new byte[count] : new short[count];
    int[] factors = new int[count];
    for (int i = 0; i < count; i++) {
      Array.set(narrow, i, dtype.byteSize() == 1 ? (Object) (byte) i : (Object) (short) i);
      factors[i] = i * 31 - 1_000_000;
    }
    Expression product =
        new Expression.Input(0, dtype)
            .convert(DataType.INT32)
            .mul(new Expression.Input(1, DataType.INT32));

    Tensor result =
        ElementwiseKernel.of(product, List.of(dtype, DataType.INT32))
            .apply(
                Tensor.wrap(dtype, Shape.of(count), narrow),
                Tensor.wrap(DataType.INT32, Shape.of(count), factors));

    for (int i = 0; i < count; i++) {
      int value =
          switch (dtype) {
            case INT8 -> (byte) i;
            case UINT8 -> i & 0xff;
            case INT16 -> (short) i;
            default -> i & 0xffff;
          };
      assertThat((int) result.integer(i)).isEqualTo(value * factors[i]);
    }
  }
}

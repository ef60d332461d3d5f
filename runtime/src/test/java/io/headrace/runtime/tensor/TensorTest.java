package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TensorTest {
  @Test
  void longs_ofATensorOverALongerArray_areItsOwnValuesOnly() {
    long[] buffer = {7, 8, 9, 3, 4, 5};

    assertThat(Tensor.wrap(DataType.INT64, Shape.of(2), buffer).longs()).containsExactly(7, 8);
    assertThat(Tensor.view(DataType.INT64, Shape.of(2), buffer, 3).longs()).containsExactly(3, 4);
    assertThat(Tensor.vector(1L, 2, 3, 4).rows(1, 3).longs()).containsExactly(2, 3);
  }

  @Test
  void accessors_ofViews_areTheirOwnValuesOnly() {
    assertThat(Tensor.vector(1f, 2f, 3f).row(1).floats()).containsExactly(2);
    assertThat(Tensor.vector(1, 2, 3).rows(0, 2).ints()).containsExactly(1, 2);
    assertThat(Tensor.vector("a", "b").row(0).strings()).isDeepEqualTo(new byte[][] {{'a'}});
    assertThat(Tensor.wrap(DataType.BOOL, Shape.of(1), new byte[] {1, 0}).bytes())
        .containsExactly(1);
    assertThat(Tensor.wrap(DataType.COMPLEX64, Shape.of(1), new float[] {1, 2, 3, 4}).floats())
        .containsExactly(1, 2);
  }

  @Test
  void longs_writtenTo_leaveTheTensorAsItWas() {
    Tensor tensor = Tensor.vector(1L, 2L);

    tensor.longs()[0] = 9;

    assertThat(tensor.integer(0)).isEqualTo(1);
  }

  @Test
  void integers_ofUint32Above2To31_arePositive() {
    Tensor tensor = Tensor.of(DataType.UINT32, Shape.of(2), new int[] {-1, 7});

    assertThat(tensor.integer(0)).isEqualTo(4_294_967_295L);
    assertThat(tensor.integers()).containsExactly(4_294_967_295L, 7);
    assertThat(Tensor.vector(-1, 7).integers()).containsExactly(-1, 7);
  }

  @Test
  void toDirectBuffer_ofAView_holdsItsValuesInNativeOrder() {
    ByteBuffer buffer = Tensor.vector(1f, 2f, 3f, 4f).rows(1, 3).toDirectBuffer();

    assertThat(buffer.isDirect()).isTrue();
    assertThat(buffer.order()).isEqualTo(ByteOrder.nativeOrder());
    assertThat(buffer.remaining()).isEqualTo(8);
    assertThat(buffer.asFloatBuffer()).isEqualTo(FloatBuffer.wrap(new float[] {2, 3}));
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void toDirectBuffer_ofEveryDtype_hasItsSizeOrIsRefused(DataType dtype) {
    Tensor tensor = Tensor.wrap(dtype, Shape.of(3), dtype.kind().newArray(3));

    if (dtype.kind().isFixedWidth()) {
      assertThat(tensor.toDirectBuffer().remaining()).isEqualTo(3 * dtype.kind().elementBytes());
    } else {
      refused(
          tensor::toDirectBuffer,
          "a buffer holds values of one size, and the tensor is " + tensor.typeAndShape());
    }
  }

  @Test
  void copyTo_usesTheBuffersOrderAndMovesItsPosition() {
    ByteBuffer target = ByteBuffer.allocate(20).order(ByteOrder.BIG_ENDIAN).position(2);

    Tensor.vector(1L, -2L).copyTo(target);

    assertThat(target.position()).isEqualTo(18);
    assertThat(target.getLong(2)).isEqualTo(1);
    assertThat(target.getLong(10)).isEqualTo(-2);
  }

  @Test
  void copyTo_complexNumbers_takesBothParts() {
    ByteBuffer target = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);

    Tensor.wrap(DataType.COMPLEX64, Shape.of(3), new float[] {1, 2, 3, 4, 5, 6})
        .rows(1, 3)
        .copyTo(target);

    assertThat(target.flip().asFloatBuffer()).isEqualTo(FloatBuffer.wrap(new float[] {3, 4, 5, 6}));
  }

  @Test
  void copyTo_tooSmallOrReadOnlyBuffer_isRefusedAndWritesNothing() {
    ByteBuffer small = ByteBuffer.allocate(7);

    refused(
        () -> Tensor.scalar(5L).copyTo(small),
        "int64[] takes 8 bytes, and the buffer has room for 7");
    assertThat(small.position()).isZero();
    assertThatThrownBy(() -> Tensor.scalar(5L).copyTo(ByteBuffer.allocate(8).asReadOnlyBuffer()))
        .isInstanceOf(ReadOnlyBufferException.class);
  }

  @Test
  void publicMethods_giveNoArrayOfTheTensor() {
    assertThat(Tensor.class.getMethods())
        .extracting(Method::getName)
        .doesNotContain("array", "offset", "storage");
  }

  @Test
  void of_copiesTheArray() {
    long[] values = {1, 2};
    Tensor made = Tensor.of(DataType.INT64, Shape.of(2), values);
    Tensor vector = Tensor.vector(values);
    byte[] text = {'a'};
    Tensor string = Tensor.scalar(text);

    values[0] = 9;
    text[0] = 'z';

    assertThat(made.longs()).containsExactly(1, 2);
    assertThat(vector.longs()).containsExactly(1, 2);
    assertThat(string.string(0)).containsExactly('a');
  }

  @Test
  void of_arrayOfAnotherTypeOrLength_isInvalidArgument() {
    refused(
        () -> Tensor.of(DataType.FLOAT32, Shape.of(2), new double[2]),
        "a tensor float[2] is made of a float[] of length 2, not of a double[] of length 2");
    refused(
        () -> Tensor.of(DataType.COMPLEX64, Shape.of(2), new float[2]),
        "a tensor complex64[2] is made of a float[] of length 4, not of a float[] of length 2");
    refused(
        () -> Tensor.of(DataType.INT64, Shape.SCALAR, 7L),
        "a tensor int64[] is made of a long[] of length 1, not of a Long");
  }

  @Test
  void accessors_ofAnotherDtype_areInvalidArgumentNamingBoth() {
    Tensor tensor = Tensor.vector(1L, 2L);

    refused(
        tensor::floats, "floats() reads a tensor of float, complex64, and this one is int64[2]");
    refused(tensor::strings, "strings() reads a tensor of string, and this one is int64[2]");
    refused(() -> tensor.bool(0), "expected bool, got int64[2]");
    refused(() -> tensor.string(0), "expected string, got int64[2]");
    refused(() -> tensor.reference(0), "expected resource or variant, got int64[2]");
    refused(() -> Tensor.vector("a").reference(0), "expected resource or variant, got string[1]");
    refused(() -> Tensor.scalar(1.5f).integer(0), "expected int32 or int64, got float[]");
  }

  @Test
  void toString_showsDtypeShapeAndValues() {
    assertThat(Tensor.scalar(1.5f)).hasToString("float[] 1.5");
    assertThat(Tensor.vector(1L, 2, 3, 4, 5, 6).reshape(Shape.of(2, 3)))
        .hasToString("int64[2,3] [[1 2 3] [4 5 6]]");
    assertThat(Tensor.vector("a", "b\n\"")).hasToString("string[2] [\"a\" \"b\\u000a\\\"\"]");
    assertThat(Tensor.vector(1, 2, 3).rows(1, 3)).hasToString("int32[2] [2 3]");
    assertThat(Tensor.vector(new int[0])).hasToString("int32[0] []");
    assertThat(Tensor.wrap(DataType.INT32, Shape.of(2, 0), new int[0]))
        .hasToString("int32[2,0] [[] []]");
  }

  @Test
  void toString_ofManyValues_isShort() {
    int[] values = IntStream.range(0, 200).toArray();

    assertThat(Tensor.vector(values)).hasToString("int32[200] [0 1 2 ... 197 198 199]");
    assertThat(Tensor.vector(values).reshape(Shape.of(2, 100)).toString())
        .isEqualTo("int32[2,100] [[0 1 2 ... 97 98 99] [100 101 102 ... 197 198 199]]");
    assertThat(Tensor.scalar("x".repeat(1000)))
        .hasToString("string[] \"" + "x".repeat(64) + "\"...");
    assertThat(Tensor.vector(new int[0]).reshape(Shape.of(1_000_000, 0)).toString())
        .hasSizeLessThan(10_000)
        .endsWith("...]");
    assertThat(Tensor.vector(new int[1 << 20]).reshape(Shape.of(deep())).toString())
        .hasSizeLessThan(10_000);
  }

  private static long[] deep() {
    long[] sizes = new long[20];
    Arrays.fill(sizes, 2);
    return sizes;
  }

  private static void refused(ThrowingCallable action, String message) {
    assertThatThrownBy(action)
        .hasMessage(message)
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}

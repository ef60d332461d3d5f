package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.TensorShapeProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TensorProtosTest {
  @Test
  void read_valueListShorterThanShape_repeatsTheLastValue() {
    TensorProto proto = proto(DataType.INT64, 4).addInt64Val(1).addInt64Val(7).build();

    assertThat(TensorProtos.read(proto).longs()).containsExactly(1, 7, 7, 7);
  }

  @Test
  void read_noValues_givesZeros() {
    assertThat(TensorProtos.read(proto(DataType.FLOAT32, 2).build()).floats())
        .containsExactly(0, 0);
  }

  @Test
  void read_halfValues_keepsTheirBits() {
    TensorProto proto = proto(DataType.FLOAT16, 1).addHalfVal(0x3C00).build();

    assertThat(TensorProtos.read(proto).shorts()).containsExactly((short) 0x3C00);
  }

  @Test
  void read_float8Values_areBytesAndRepeatTheLast() {
    TensorProto proto =
        proto(DataType.FLOAT8_E4M3FN, 3)
            .setFloat8Val(ByteString.copyFrom(new byte[] {0x38, 0x3c}))
            .build();

    Tensor tensor = TensorProtos.read(proto);

    assertThat(tensor.toString()).contains("[1.0 1.5 1.5]");
    assertThat(TensorProtos.writeValues(tensor).getFloat8Val())
        .isEqualTo(ByteString.copyFrom(new byte[] {0x38, 0x3c, 0x3c}));
  }

  @Test
  void read_valuesOfFourBits_areIntegers() {
    TensorProto negative = proto(DataType.INT4, 2).addIntVal(-8).addIntVal(7).build();
    TensorProto masked =
        proto(DataType.INT4, 2).setTensorContent(ByteString.copyFrom(new byte[] {8, 7})).build();

    assertThat(TensorProtos.writeValues(TensorProtos.read(negative))).isEqualTo(negative);
    assertThat(TensorProtos.writeValues(TensorProtos.read(masked))).isEqualTo(negative);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"STRING", "RESOURCE", "VARIANT"})
  void write_numbersOfEachType_readsBackTheSame(DataType dtype) {
    byte[] content = new byte[6 * dtype.byteSize()];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (dtype == DataType.BOOL ? i % 2 : i * 37);
    }
    TensorProto proto = proto(dtype, 2, 3).setTensorContent(ByteString.copyFrom(content)).build();

    assertThat(TensorProtos.write(TensorProtos.read(proto))).isEqualTo(proto);
  }

  @Test
  void write_viewOfARow_writesThatRowOnly() {
    Tensor matrix = Tensor.wrap(DataType.INT32, Shape.of(2, 2), new int[] {1, 2, 3, 4});

    assertThat(TensorProtos.read(TensorProtos.write(matrix.row(1))).ints()).containsExactly(3, 4);
  }

  @Test
  void write_strings_readsBackTheSame() {
    Tensor strings = Tensor.vector("", "a", "b".repeat(300));

    assertThat(TensorProtos.read(TensorProtos.write(strings)).strings())
        .isDeepEqualTo(strings.strings());
  }

  @Test
  void read_contentOfAnotherSize_isRefusedNamingBoth() {
    TensorProto proto =
        proto(DataType.INT64, 2).setTensorContent(ByteString.copyFrom(new byte[8])).build();

    assertThatThrownBy(() -> TensorProtos.read(proto))
        .hasMessageContaining("16 bytes")
        .hasMessageContaining("has 8");
  }

  @Test
  void read_stringLengthsBeyondContent_areRefused() {
    TensorProto proto =
        proto(DataType.STRING, 1)
            .setTensorContent(ByteString.copyFrom(new byte[] {100, 'a'}))
            .build();

    assertThatThrownBy(() -> TensorProtos.read(proto)).hasMessageContaining("does not hold");
  }

  @Test
  void read_shapeOfTooManyElements_isRefusedBeforeAllocation() {
    TensorProto proto = proto(DataType.INT8, 1_000_000_000L, 1_000_000_000L).addIntVal(1).build();

    assertThatThrownBy(() -> TensorProtos.read(proto)).hasMessageContaining("too many elements");
  }

  @Test
  void read_moreValuesThanElements_isRefused() {
    TensorProto proto = proto(DataType.INT32, 1).addIntVal(1).addIntVal(2).build();

    assertThatThrownBy(() -> TensorProtos.read(proto)).hasMessageContaining("2 values");
  }

  @Test
  void read_halfAComplexValue_isRefused() {
    TensorProto proto = proto(DataType.COMPLEX64, 2).addScomplexVal(1).build();

    assertThatThrownBy(() -> TensorProtos.read(proto)).hasMessageContaining("cannot have 1 values");
  }

  private static TensorProto.Builder proto(DataType dtype, long... shape) {
    TensorShapeProto.Builder dims = TensorShapeProto.newBuilder();
    for (long size : shape) {
      dims.addDimBuilder().setSize(size);
    }
    return TensorProto.newBuilder().setDtypeValue(dtype.number()).setTensorShape(dims);
  }

  @Test
  void write_ofWhatNoMessageHolds_isRefused() {
    Shape shape = Shape.of(600_000_000);
    assertThat(TensorContent.length(DataType.FLOAT32, shape, Integer.MAX_VALUE))
        .isEqualTo(Integer.MAX_VALUE);
    assertThatThrownBy(() -> TensorContent.length(DataType.FLOAT32, shape, 2_400_000_000L))
        .hasMessage(
            "a tensor float[600000000] takes 2400000000 bytes, and a message holds no more than"
                + " 2147483647")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }
}

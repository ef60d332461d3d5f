package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formats whose casts no op computes, too; the oracle tests casts of the others. */
final class Float8Test {
  /** Least and largest positive number, and the bits of one NaN, as ml_dtypes.finfo tells them. */
  @ParameterizedTest
  @CsvSource({
    "FLOAT8_E5M2, 0x1p-16, 57344, 0x7b, 0x7e",
    "FLOAT8_E4M3FN, 0x1p-9, 448, 0x7e, 0x7f",
    "FLOAT8_E4M3FNUZ, 0x1p-10, 240, 0x7f, 0x80",
    "FLOAT8_E4M3B11FNUZ, 0x1p-13, 30, 0x7f, 0x80",
    "FLOAT8_E5M2FNUZ, 0x1p-17, 57344, 0x7f, 0x80",
  })
  void value_ofEachFormat_hasItsRange(
      DataType dtype, float least, float largest, int bitsOfLargest, int bitsOfNan) {
    assertThat(Float8.value(dtype, (byte) 0)).isZero();
    assertThat(Float8.value(dtype, (byte) 1)).isEqualTo(least);
    assertThat(Float8.value(dtype, (byte) 0x81)).isEqualTo(-least);
    assertThat(Float8.value(dtype, (byte) bitsOfLargest)).isEqualTo(largest);
    assertThat(Float8.value(dtype, (byte) (bitsOfLargest | 0x80))).isEqualTo(-largest);
    assertThat(Float8.value(dtype, (byte) bitsOfNan)).isNaN();
  }

  @Test
  void value_ofFourBits_ignoresTheOthers() {
    float[] positive = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    for (int bits = 0; bits < 8; bits++) {
      assertThat(Float8.value(DataType.FLOAT4_E2M1FN, (byte) (bits | 0xf0)))
          .isEqualTo(positive[bits]);
      assertThat(Float8.value(DataType.FLOAT4_E2M1FN, (byte) (bits | 8)))
          .isEqualTo(-positive[bits]);
    }
  }

  @Test
  void to_ofEachValue_givesItsBits() {
    for (int bits = Byte.MIN_VALUE; bits <= Byte.MAX_VALUE; bits++) {
      if (!Float.isNaN(Float8.ofE5m2((byte) bits))) {
        assertThat(Float8.toE5m2(Float8.ofE5m2((byte) bits))).isEqualTo((byte) bits);
      }
      assertThat(Float8.toE4m3fn(Float8.ofE4m3fn((byte) bits))).isEqualTo((byte) bits);
    }
  }

  @Test
  void value_ofAnotherDtype_isRefused() {
    assertThatThrownBy(() -> Float8.value(DataType.INT8, (byte) 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("int8");
  }
}

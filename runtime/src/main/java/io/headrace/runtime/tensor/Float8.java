package io.headrace.runtime.tensor;

/**
 * The floating-point formats of 8 and 4 bits. E5M2 and E4M3FN are those of the OCP's 8-bit Floating
 * Point Specification (OFP8, revision 1.0): E5M2 has the infinities and NaNs of IEEE 754, E4M3FN
 * has no infinity and one NaN of each sign. FNUZ formats have neither infinities nor a negative
 * zero, whose bits are their NaN. E2M1FN, of 4 bits in a byte, has finite numbers only.
 *
 * <p>Conversions from float round to nearest, ties to even, and subnormal numbers are kept. A
 * number that would be rounded beyond the largest finite one becomes an infinity, or NaN where the
 * format has none.
 */
public final class Float8 {
  private static final int SIGN = 0x80;
  private static final int MAGNITUDE = 0x7f;

  private static final int E5M2_INFINITY = 0x7c;
  private static final int E5M2_NAN = 0x7e;
  private static final int E4M3FN_NAN = 0x7f;

  private static final int FLOAT_MANTISSA_BITS = 23;
  private static final int FLOAT_BIAS = 127;

  private Float8() {}

  /** The value of {@code bits} in E5M2: the upper byte of a half. */
  public static float ofE5m2(byte bits) {
    return Float.float16ToFloat((short) (bits << Byte.SIZE));
  }

  /** The value of {@code bits} in E4M3FN. */
  public static float ofE4m3fn(byte bits) {
    int magnitude = bits & MAGNITUDE;
    return withSign(bits, magnitude == E4M3FN_NAN ? Float.NaN : finite(magnitude, 3, 7));
  }

  /** The bits in E5M2 of {@code value}, rounded. */
  public static byte toE5m2(float value) {
    int magnitude =
        Float.isNaN(value) ? E5M2_NAN : Math.min(magnitude(value, 2, 15), E5M2_INFINITY);
    return withSign(value, magnitude);
  }

  /** The bits in E4M3FN of {@code value}, rounded. */
  public static byte toE4m3fn(float value) {
    int magnitude = Float.isNaN(value) ? E4M3FN_NAN : Math.min(magnitude(value, 3, 7), E4M3FN_NAN);
    return withSign(value, magnitude);
  }

  /** {@code value}, rounded to a number of E5M2. */
  public static float roundToE5m2(float value) {
    return ofE5m2(toE5m2(value));
  }

  /** {@code value}, rounded to a number of E4M3FN. */
  public static float roundToE4m3fn(float value) {
    return ofE4m3fn(toE4m3fn(value));
  }

  /**
   * The value of an element.
   *
   * @param dtype a float8 dtype, or float4_e2m1fn, of whose {@code bits} the lower four count
   */
  public static float value(DataType dtype, byte bits) {
    return switch (dtype) {
      case FLOAT8_E5M2 -> ofE5m2(bits);
      case FLOAT8_E4M3FN -> ofE4m3fn(bits);
      case FLOAT8_E4M3FNUZ -> ofFnuz(bits, 3, 8);
      case FLOAT8_E4M3B11FNUZ -> ofFnuz(bits, 3, 11);
      case FLOAT8_E5M2FNUZ -> ofFnuz(bits, 2, 16);
      case FLOAT4_E2M1FN -> withSign((byte) (bits << 4), finite(bits & 7, 1, 1));
      default -> throw new IllegalArgumentException(dtype.tfName());
    };
  }

  private static float ofFnuz(byte bits, int mantissaBits, int bias) {
    return (bits & 0xff) == SIGN
        ? Float.NaN
        : withSign(bits, finite(bits & MAGNITUDE, mantissaBits, bias));
  }

  /** The number with the exponent and mantissa in {@code magnitude}; subnormal numbers, too. */
  private static float finite(int magnitude, int mantissaBits, int bias) {
    float small = Float.intBitsToFloat(magnitude << (FLOAT_MANTISSA_BITS - mantissaBits));
    return small * powerOfTwo(FLOAT_BIAS - bias);
  }

  /** The exponent and mantissa of {@code value}, rounded, as if exponents had no end. */
  private static int magnitude(float value, int mantissaBits, int bias) {
    float absolute = Math.abs(value);
    if (absolute < powerOfTwo(1 - bias)) {
      // Of the sum, the last bit is worth as much as that of the format's subnormal numbers.
      float unit = powerOfTwo(1 - bias - mantissaBits + FLOAT_MANTISSA_BITS);
      return Float.floatToRawIntBits(absolute + unit) - Float.floatToRawIntBits(unit);
    }
    int dropped = FLOAT_MANTISSA_BITS - mantissaBits;
    int bits = Float.floatToRawIntBits(absolute) - ((FLOAT_BIAS - bias) << FLOAT_MANTISSA_BITS);
    int odd = (bits >>> dropped) & 1;
    return (bits + (1 << (dropped - 1)) - 1 + odd) >>> dropped;
  }

  private static float powerOfTwo(int exponent) {
    return Float.intBitsToFloat((exponent + FLOAT_BIAS) << FLOAT_MANTISSA_BITS);
  }

  private static float withSign(byte bits, float magnitude) {
    return Math.copySign(magnitude, bits); // of NaN, too, whose sign a negation may keep
  }

  private static byte withSign(float value, int magnitude) {
    int sign = (Float.floatToRawIntBits(value) >>> (Integer.SIZE - Byte.SIZE)) & SIGN;
    return (byte) (sign | magnitude);
  }
}

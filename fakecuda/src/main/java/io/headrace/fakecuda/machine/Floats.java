package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxType;

/**
 * Floating-point values in registers. A NaN of half or float has the ISA's canonical bits; of
 * double, whose bits the ISA does not tell, those of Java.
 */
final class Floats {
  private static final long NAN_16 = 0x7fff;
  private static final long NAN_32 = 0x7fffffff;

  private Floats() {}

  /** The value of bits; {@code flush} makes a subnormal float 0. */
  static double value(PtxType type, long bits, boolean flush) {
    return switch (type) {
      case F16 -> Float.float16ToFloat((short) bits);
      case F32 ->
          flush ? flushed(Float.intBitsToFloat((int) bits)) : Float.intBitsToFloat((int) bits);
      case F64 -> Double.longBitsToDouble(bits);
      default -> throw new AssertionError(type);
    };
  }

  /** The bits of {@code value}, rounded to nearest. */
  static long bits(PtxType type, double value, boolean flush) {
    return switch (type) {
      case F16 -> Double.isNaN(value) ? NAN_16 : Float.floatToFloat16((float) value) & 0xffffL;
      case F32 ->
          Double.isNaN(value)
              ? NAN_32
              : Float.floatToRawIntBits(flush ? flushed((float) value) : (float) value)
                  & 0xffffffffL;
      case F64 -> Double.doubleToLongBits(value);
      default -> throw new AssertionError(type);
    };
  }

  private static float flushed(float value) {
    return Math.abs(value) < Float.MIN_NORMAL ? Math.copySign(0f, value) : value;
  }

  /** {@code value} between 0 and 1; 0 for NaN. */
  static double saturate(double value) {
    return value > 0 ? Math.min(value, 1) : 0;
  }
}

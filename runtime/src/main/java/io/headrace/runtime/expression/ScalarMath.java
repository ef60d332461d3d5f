package io.headrace.runtime.expression;

import io.headrace.runtime.status.StatusException;

/**
 * Operations that take more than an instruction or two. Generated loops call these methods, and
 * HotSpot inlines them; where possible they are free of branches, so that HotSpot vectorizes the
 * loop.
 */
final class ScalarMath {
  /*
   * The branch-free forms below rely on these facts: signum(x) is -1, 0 or 1, and NaN for NaN;
   * (int) NaN is 0; Math.max and Math.min return NaN for NaN; the difference of two floats is 0
   * only if they are equal.
   */

  private static final double DOUBLE_2_63 = 0x1p63;

  /**
   * The greatest float below 2^31, written out: a call of {@link Math#nextDown} in each round of a
   * loop was not always inlined, and such loops are scalar and seven times slower.
   */
  private static final float BELOW_2_31 = 0x1.fffffep30f;

  private ScalarMath() {}

  // Tests return 1 or 0.

  static int less(int a, int b) {
    return (int) (((long) a - (long) b) >>> 63);
  }

  /** For integers of up to 16 bits. */
  static int lessNarrow(int a, int b) {
    return (a - b) >>> 31;
  }

  static int lessUnsigned(int a, int b) {
    return (int) (((a & 0xffffffffL) - (b & 0xffffffffL)) >>> 63);
  }

  static int less(long a, long b) {
    return (int) (((a & ~b) | ((a ^ ~b) & (a - b))) >>> 63);
  }

  static int lessUnsigned(long a, long b) {
    return (int) (((~a & b) | ((~a | b) & (a - b))) >>> 63);
  }

  static int less(float a, float b) {
    return (int) Math.signum(Math.max(b - a, 0f));
  }

  static int less(double a, double b) {
    return (int) Math.signum(Math.max(b - a, 0d));
  }

  /** The form for scalar loops, where signum compiles to branches. */
  static int lessInScalar(float a, float b) {
    return a < b ? 1 : 0;
  }

  static int lessInScalar(double a, double b) {
    return a < b ? 1 : 0;
  }

  static int lessEqual(float a, float b) {
    return areNumbers(a, b) - less(b, a);
  }

  static int lessEqual(double a, double b) {
    return areNumbers(a, b) - less(b, a);
  }

  static int lessEqualInScalar(float a, float b) {
    return a <= b ? 1 : 0;
  }

  static int lessEqualInScalar(double a, double b) {
    return a <= b ? 1 : 0;
  }

  /** 0 if one is NaN; for infinities 1. */
  private static int areNumbers(float a, float b) {
    return (int) ((Math.signum(a) + Math.signum(b)) * 0f + 1f);
  }

  private static int areNumbers(double a, double b) {
    return (int) ((Math.signum(a) + Math.signum(b)) * 0d + 1d);
  }

  static int equal(int a, int b) {
    int d = a ^ b;
    return ((d | -d) >>> 31) ^ 1;
  }

  static int equal(long a, long b) {
    long d = a ^ b;
    return (int) ((d | -d) >>> 63) ^ 1;
  }

  /** The difference of equal infinities is NaN, whose sign becomes 0. */
  static int equal(float a, float b) {
    return areNumbers(a, b) - (int) Math.abs(Math.signum(a - b));
  }

  static int equal(double a, double b) {
    return areNumbers(a, b) - (int) Math.abs(Math.signum(a - b));
  }

  static int equalInScalar(float a, float b) {
    return a == b ? 1 : 0;
  }

  static int equalInScalar(double a, double b) {
    return a == b ? 1 : 0;
  }

  static int isNan(float x) {
    return (int) (Math.signum(x) * 0f + 1f) ^ 1;
  }

  static int isNan(double x) {
    return (int) (Math.signum(x) * 0d + 1d) ^ 1;
  }

  static int isNanInScalar(float x) {
    return Float.isNaN(x) ? 1 : 0;
  }

  static int isNanInScalar(double x) {
    return Double.isNaN(x) ? 1 : 0;
  }

  static int select(int condition, int a, int b) {
    return b ^ ((a ^ b) & -condition);
  }

  static long select(int condition, long a, long b) {
    return b ^ ((a ^ b) & -(long) condition);
  }

  static float select(int condition, float a, float b) {
    return Float.intBitsToFloat(
        select(condition, Float.floatToRawIntBits(a), Float.floatToRawIntBits(b)));
  }

  static double select(int condition, double a, double b) {
    return Double.longBitsToDouble(
        select(condition, Double.doubleToRawLongBits(a), Double.doubleToRawLongBits(b)));
  }

  // Integers

  static int maxUnsigned(int a, int b) {
    return Math.max(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE) ^ Integer.MIN_VALUE;
  }

  static int minUnsigned(int a, int b) {
    return Math.min(a ^ Integer.MIN_VALUE, b ^ Integer.MIN_VALUE) ^ Integer.MIN_VALUE;
  }

  static long maxUnsigned(long a, long b) {
    return Math.max(a ^ Long.MIN_VALUE, b ^ Long.MIN_VALUE) ^ Long.MIN_VALUE;
  }

  static long minUnsigned(long a, long b) {
    return Math.min(a ^ Long.MIN_VALUE, b ^ Long.MIN_VALUE) ^ Long.MIN_VALUE;
  }

  /** Floored, for a divisor that is not 0; ArithmeticException for 0. */
  static int floorDiv(int a, int b) {
    int quotient = a / b;
    int remainder = a - quotient * b;
    return quotient + (((remainder ^ b) & (remainder | -remainder)) >> 31);
  }

  static long floorDiv(long a, long b) {
    long quotient = a / b;
    long remainder = a - quotient * b;
    return quotient + (((remainder ^ b) & (remainder | -remainder)) >> 63);
  }

  static int floorMod(int a, int b) {
    int remainder = a % b;
    return remainder + (b & (((remainder ^ b) & (remainder | -remainder)) >> 31));
  }

  static long floorMod(long a, long b) {
    long remainder = a % b;
    return remainder + (b & (((remainder ^ b) & (remainder | -remainder)) >> 63));
  }

  static float floorMod(float a, float b) {
    float remainder = a % b;
    return remainder != 0 && (b < 0) != (remainder < 0) ? remainder + b : remainder;
  }

  static double floorMod(double a, double b) {
    double remainder = a % b;
    return remainder != 0 && (b < 0) != (remainder < 0) ? remainder + b : remainder;
  }

  /** +0 for -0. */
  static float sign(float a) {
    return Math.signum(a) + 0f;
  }

  static double sign(double a) {
    return Math.signum(a) + 0d;
  }

  static int sign(int a) {
    return (a >> 31) | (-a >>> 31);
  }

  static long sign(long a) {
    return (a >> 63) | (-a >>> 63);
  }

  static int signUnsigned(int a) {
    return (a | -a) >>> 31;
  }

  static long signUnsigned(long a) {
    return (a | -a) >>> 63;
  }

  /** The shift distance {@code b}, clamped to 0 through {@code last}. */
  static int shift(int b, int last) {
    return Math.max(0, Math.min(b, last));
  }

  static int shift(long b, int last) {
    return (int) Math.max(0, Math.min(b, last));
  }

  static int shiftUnsigned(int b, int last) {
    return minUnsigned(b, last);
  }

  static int shiftUnsigned(long b, int last) {
    return (int) minUnsigned(b, last);
  }

  static int pow(int base, int exponent) {
    return (int) pow((long) base, (long) exponent);
  }

  static long pow(long base, long exponent) {
    if (exponent < 0) {
      throw StatusException.invalidArgument("Integers to negative integer powers are not allowed");
    }
    return powUnsigned(base, exponent);
  }

  static int powUnsigned(int base, int exponent) {
    return (int) powUnsigned((long) base, exponent & 0xffffffffL);
  }

  static long powUnsigned(long base, long exponent) {
    long result = 1;
    long square = base;
    for (long rest = exponent; rest != 0; rest >>>= 1) {
      result *= (rest & 1) == 0 ? 1 : square;
      square *= square;
    }
    return result;
  }

  /** C's pow: 1 to any power, and -1 to an infinite power, is 1. */
  static double pow(double base, double exponent) {
    if (base == 1 || (base == -1 && Double.isInfinite(exponent))) {
      return 1;
    }
    return base <= 0 && exponent != Math.rint(exponent)
        ? powOfFraction(base, exponent)
        : Math.pow(base, exponent);
  }

  /**
   * A base that is not positive to a power that is no integer. HotSpot's {@link Math#pow} takes
   * some such powers beyond 2^51 for odd integers.
   */
  private static double powOfFraction(double base, double exponent) {
    return base == 0 || Double.isInfinite(base) ? Math.pow(Math.abs(base), exponent) : Double.NaN;
  }

  static float hypot(float a, float b) {
    double square = (double) a * a + (double) b * b;
    return Double.isNaN(square) ? (float) Math.hypot(a, b) : (float) Math.sqrt(square);
  }

  /** Faster than {@link Math#hypot} where the squares neither overflow nor lose precision. */
  static double hypot(double a, double b) {
    double square = a * a + b * b;
    return square > 0x1p-900 && square < 0x1p1000 ? Math.sqrt(square) : Math.hypot(a, b);
  }

  // Conversions

  /** The integer below 2^8 whose low bits are {@code x}, a signed byte. */
  static float unsignedByteToFloat(byte x) {
    float f = x;
    float sign = Math.signum(f);
    return f + 128f * (sign * sign - sign);
  }

  static float unsignedShortToFloat(short x) {
    float f = x;
    float sign = Math.signum(f);
    return f + 32768f * (sign * sign - sign);
  }

  static long unsignedIntToLong(int x) {
    return x & 0xffffffffL;
  }

  static float unsignedLongToFloat(long x) {
    // Beyond 2^63, convert half of it, with the lost bit kept for rounding.
    return x >= 0 ? x : (float) ((x >>> 1) | (x & 1)) * 2f;
  }

  static double unsignedLongToDouble(long x) {
    return x >= 0 ? x : (double) ((x >>> 1) | (x & 1)) * 2d;
  }

  // x86 conversions: a value out of range, or NaN, yields the smallest integer.

  static int toInt(float x) {
    int result = (int) x;
    return (result + equal(result, Integer.MAX_VALUE)) | (notFinite(x) << 31);
  }

  static int toInt(double x) {
    long wide = (long) x;
    int result = (int) wide;
    int wrapped = equal(wide, (long) result) ^ 1;
    return select(wrapped | notFinite(x), Integer.MIN_VALUE, result);
  }

  /**
   * The low 16 bits of {@link #toInt}, without shifts, which would prevent vectorization for bytes.
   */
  static int toIntLow(float x) {
    return (int) x + (int) Math.signum(Math.max(x - BELOW_2_31, 0f));
  }

  static int toIntLow(double x) {
    return toInt(x);
  }

  static long toLong(float x) {
    long result = (long) x;
    return (result + equal(result, Long.MAX_VALUE)) | ((long) notFinite(x) << 63);
  }

  static long toLong(double x) {
    long result = (long) x;
    return (result + equal(result, Long.MAX_VALUE)) | ((long) notFinite(x) << 63);
  }

  /** 1 for a NaN or an infinity. */
  private static int notFinite(float x) {
    return (int) (x * 0f + 1f) ^ 1;
  }

  private static int notFinite(double x) {
    return (int) (x * 0d + 1d) ^ 1;
  }

  static long toUnsignedLong(float x) {
    return toUnsignedLong((double) x);
  }

  static long toUnsignedLong(double x) {
    boolean upper = x >= DOUBLE_2_63 && x < 2 * DOUBLE_2_63;
    return upper ? (long) (x - DOUBLE_2_63) ^ Long.MIN_VALUE : toLong(x);
  }

  /**
   * Rounds to a neighbor, of two to the one with an odd last bit, so that rounding the result once
   * more, to a format of fewer bits, is rounding {@code x} to it.
   */
  static float toOddFloat(double x) {
    float nearest = (float) x;
    boolean isExact = nearest == x || Double.isNaN(x);
    if (isExact || (Float.floatToRawIntBits(nearest) & 1) != 0) {
      return nearest;
    }
    return nearest < x ? Math.nextUp(nearest) : Math.nextDown(nearest);
  }

  static float bfloat16ToFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** Rounds to nearest even; NaN stays NaN. */
  static short floatToBfloat16(float x) {
    int bits = Float.floatToRawIntBits(x);
    int rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
    int nan = (0x7f800000 - (bits & 0x7fffffff)) >> 31;
    return (short) (rounded | (nan & 0x7fc0));
  }

  static float roundToBfloat16(float x) {
    return bfloat16ToFloat(floatToBfloat16(x));
  }

  static float roundToFloat16(float x) {
    return Float.float16ToFloat(Float.floatToFloat16(x));
  }
}

package io.headrace.kernels.random;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;

/**
 * TensorFlow's distributions: the mapping from blocks of a {@link Philox} to samples. Each method
 * fills a whole array, beginning with the generator's next block, and drops the unused samples of
 * the last block. The arrays must have the type that belongs to the dtype. Thread-safe for distinct
 * generators and arrays.
 */
public final class Distributions {
  /** Blocks between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 16;

  /** 32-bit samples reserved for each truncated normal. */
  private static final int TRUNCATED_SAMPLES = 256;

  private static final double TRUNCATE_AT = 2;
  private static final double MIN_LOG_ARGUMENT = 1.0e-7;

  /** Maps {@code block} to {@code n} elements from index {@code at} on. */
  @FunctionalInterface
  private interface Fill {
    void group(int[] block, int at, int n);
  }

  private Distributions() {}

  private static void fill(Philox gen, int n, int groupSize, Cancellation stop, Fill fill) {
    int[] block = new int[Philox.BLOCK];
    int groups = 0;
    for (long at = 0; at < n; at += groupSize) {
      if (++groups % CANCELLATION_STEP == 0) {
        stop.check();
      }
      gen.next(block);
      fill.group(block, (int) at, (int) Math.min(groupSize, n - at));
    }
  }

  /** Uniform floating-point samples in [0, 1). */
  public static void uniform(Philox gen, DataType dtype, Object array, int n, Cancellation stop) {
    switch (array) {
      case float[] a ->
          fill(gen, n, 4, stop, (block, at, count) -> uniformFloats(block, a, at, count));
      case double[] a ->
          fill(
              gen,
              n,
              2,
              stop,
              (block, at, count) -> {
                for (int i = 0; i < count; i++) {
                  a[at + i] = unitDouble(block[2 * i], block[2 * i + 1]);
                }
              });
      case short[] a ->
          fill(
              gen,
              n,
              4,
              stop,
              (block, at, count) -> {
                for (int i = 0; i < count; i++) {
                  a[at + i] = unitShort(dtype, block[i]);
                }
              });
      default -> throw new AssertionError(dtype);
    }
  }

  private static void uniformFloats(int[] block, float[] a, int at, int count) {
    for (int i = 0; i < count; i++) {
      a[at + i] = unitFloat(block[i]);
    }
  }

  /** A uniform float in [0, 1) with 23 random bits. */
  static float unitFloat(int bits) {
    return Float.intBitsToFloat((bits & 0x7fffff) | (127 << 23)) - 1;
  }

  /** A uniform double in [0, 1) with 52 random bits. */
  static double unitDouble(int high, int low) {
    long mantissa = ((long) (high & 0xfffff) << 32) | Integer.toUnsignedLong(low);
    return Double.longBitsToDouble((1023L << 52) | mantissa) - 1;
  }

  private static short unitShort(DataType dtype, int bits) {
    return dtype == DataType.FLOAT16
        ? Float.floatToFloat16((bits & 0x3ff) / 1024f)
        : bfloat16((bits & 0x7f) / 128f);
  }

  private static short bfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  /**
   * Uniform integers from {@code low} up to, excluding, {@code low + range}, in an {@code int[]} or
   * {@code long[]}. {@code range} is unsigned and not 0.
   */
  public static void uniform(
      Philox gen, Object array, int n, long low, long range, Cancellation stop) {
    switch (array) {
      case int[] a ->
          fill(
              gen,
              n,
              4,
              stop,
              (block, at, count) -> {
                for (int i = 0; i < count; i++) {
                  a[at + i] = (int) low + Integer.remainderUnsigned(block[i], (int) range);
                }
              });
      case long[] a ->
          fill(
              gen,
              n,
              2,
              stop,
              (block, at, count) -> {
                for (int i = 0; i < count; i++) {
                  a[at + i] =
                      low + Long.remainderUnsigned(join(block[2 * i], block[2 * i + 1]), range);
                }
              });
      default -> throw new AssertionError(array.getClass());
    }
  }

  private static long join(int low, int high) {
    return Integer.toUnsignedLong(low) | ((long) high << 32);
  }

  /** Integers of random bits, in an {@code int[]} or {@code long[]}. */
  static void bits(Philox gen, Object array, int n, Cancellation stop) {
    switch (array) {
      case int[] a ->
          fill(gen, n, 4, stop, (block, at, count) -> System.arraycopy(block, 0, a, at, count));
      case long[] a ->
          fill(
              gen,
              n,
              2,
              stop,
              (block, at, count) -> {
                for (int i = 0; i < count; i++) {
                  a[at + i] = join(block[2 * i], block[2 * i + 1]);
                }
              });
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Standard normal samples, by Box and Muller's method. */
  public static void normal(Philox gen, DataType dtype, Object array, int n, Cancellation stop) {
    NativeNormals natives = NativeNormals.INSTANCE;
    int done = 0;
    if (natives != null && array instanceof float[] floats) {
      natives.fill(gen, floats, n / Philox.BLOCK, stop);
      done = n / Philox.BLOCK * Philox.BLOCK;
    }
    normalInJava(gen, dtype, array, done, n, stop);
  }

  /** Standard normal samples from index {@code from} on. */
  static void normalInJava(
      Philox gen, DataType dtype, Object array, int from, int n, Cancellation stop) {
    double[] pair = new double[2];
    int groupSize = dtype == DataType.FLOAT64 ? 2 : 4;
    fill(
        gen,
        n - from,
        groupSize,
        stop,
        (block, at, count) -> {
          for (int i = 0; i < count; i += 2) {
            boxMuller(dtype, block, i, pair);
            set(dtype, array, from + at + i, pair[0]);
            if (i + 1 < count) {
              set(dtype, array, from + at + i + 1, pair[1]);
            }
          }
        });
  }

  /** Standard normal samples, redrawn while they lie two or more standard deviations from 0. */
  public static void truncatedNormal(
      Philox base, DataType dtype, Object array, int n, Cancellation stop) {
    int groupSize = dtype == DataType.FLOAT64 ? 2 : 4;
    long groupBlocks = (long) groupSize * TRUNCATED_SAMPLES / Philox.BLOCK;
    for (long at = 0; at < n; at += groupSize) {
      Philox gen = base.copy();
      gen.skip(at / groupSize * groupBlocks);
      truncatedGroup(gen, dtype, array, (int) at, (int) Math.min(n, at + groupSize));
      if (at % CANCELLATION_STEP == 0) {
        stop.check();
      }
    }
  }

  private static void truncatedGroup(Philox gen, DataType dtype, Object array, int from, int to) {
    int[] block = new int[Philox.BLOCK];
    double[] pair = new double[2];
    int perBlock = dtype == DataType.FLOAT64 ? 2 : 4;
    int at = from;
    while (at < to) {
      gen.next(block);
      for (int i = 0; i < perBlock && at < to; i += 2) {
        boxMuller(dtype, block, i, pair);
        for (int j = 0; j < 2 && at < to; j++) {
          if (Math.abs(pair[j]) < TRUNCATE_AT) {
            set(dtype, array, at++, pair[j]);
          }
        }
      }
    }
  }

  /** The samples of a block: its bits are two doubles, or four numbers of other dtypes. */
  static int samplesPerBlock(DataType dtype) {
    return dtype == DataType.FLOAT64 ? 2 : 4;
  }

  /** Sets {@code samples} to those of {@code block}: uniform, of half, float or double. */
  static void uniform(DataType dtype, int[] block, double[] samples) {
    for (int i = 0; i < samplesPerBlock(dtype); i++) {
      samples[i] =
          switch (dtype) {
            case FLOAT64 -> unitDouble(block[2 * i], block[2 * i + 1]);
            case FLOAT32 -> unitFloat(block[i]);
            case FLOAT16 -> Float.float16ToFloat(unitShort(dtype, block[i]));
            default -> throw new AssertionError(dtype);
          };
    }
  }

  /** Sets {@code samples} to those of {@code block}: normal, of half, float or double. */
  static void normal(DataType dtype, int[] block, double[] samples) {
    double[] pair = new double[2];
    for (int i = 0; i < samplesPerBlock(dtype); i += 2) {
      boxMuller(dtype, block, i, pair);
      samples[i] = rounded(dtype, pair[0]);
      samples[i + 1] = rounded(dtype, pair[1]);
    }
  }

  /** {@code x} rounded to half, float or double. */
  static double rounded(DataType dtype, double x) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) x));
      case FLOAT32 -> (float) x;
      default -> x;
    };
  }

  /** Two independent standard normal samples from {@code block}, read from index {@code i} on. */
  static void boxMuller(DataType dtype, int[] block, int i, double[] pair) {
    if (dtype == DataType.FLOAT64) {
      double u = Math.max(unitDouble(block[0], block[1]), MIN_LOG_ARGUMENT);
      double angle = 2 * Math.PI * unitDouble(block[2], block[3]);
      double radius = Math.sqrt(-2 * LibcMath.log(u));
      pair[0] = LibcMath.sin(angle) * radius;
      pair[1] = LibcMath.cos(angle) * radius;
    } else {
      float u = Math.max(unitFloat(block[i]), (float) MIN_LOG_ARGUMENT);
      float angle = (float) (2 * Math.PI * unitFloat(block[i + 1]));
      float radius = (float) Math.sqrt(-2 * LibcMath.log(u));
      pair[0] = LibcMath.sin(angle) * radius;
      pair[1] = LibcMath.cos(angle) * radius;
    }
  }

  /** Sets element {@code at} to {@code value}, rounded to {@code dtype}. */
  static void set(DataType dtype, Object array, int at, double value) {
    switch (array) {
      case float[] a -> a[at] = (float) value;
      case double[] a -> a[at] = value;
      case short[] a ->
          a[at] =
              dtype == DataType.FLOAT16
                  ? Float.floatToFloat16((float) value)
                  : bfloat16((float) value);
      default -> throw new AssertionError(dtype);
    }
  }
}

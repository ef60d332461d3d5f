package io.headrace.gpu.ptx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.headrace.runtime.tensor.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The arrays that loops read and write, by the bits of their numbers: complex elements are two
 * numbers each.
 */
final class CaseValues {
  private static final double[] DOUBLES = {
    0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2,
    -2,
    2.5,
    -2.5,
    3,
    -3,
    0.1,
    -0.1,
    7,
    -7,
    10,
    -10,
    0.25,
    -0.25,
    5.75,
    31,
    100,
    -100,
    127.5,
    128,
    -128.9,
    255,
    256,
    32768,
    65504,
    65536,
    1e-3,
    -1e-5,
    1e-9,
    1e10,
    -1e10,
    88.8,
    -88,
    104,
    709.5,
    -745,
    710,
    Math.PI,
    -Math.PI,
    Math.PI / 2,
    Math.E,
    0x1p31,
    -0x1p31,
    0x1.fffffep30,
    2147483647.5,
    -2147483649.0,
    0x1p32,
    0x1p53,
    0x1p63,
    -0x1p63,
    0x1.8p63,
    0x1p64,
    0x1p65,
    1e22,
    1e300,
    -1e300,
    1e-300,
    -0x1.c2fe58323bfafp51,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };

  private static final long[] LONGS = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    10,
    15,
    16,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffffffffL,
    1L << 53,
    (1L << 53) + 1,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    -1,
    -2,
    -3,
    -7,
    -8,
    -100,
    -128,
    -32768
  };

  private CaseValues() {}

  /** An array of {@code count} elements, all 0. */
  static Object array(DataType dtype, int count) {
    return switch (dtype) {
      case BOOL, INT8, UINT8 -> new byte[count];
      case INT16, UINT16, FLOAT16, BFLOAT16 -> new short[count];
      case INT32, UINT32 -> new int[count];
      case INT64, UINT64 -> new long[count];
      case FLOAT32 -> new float[count];
      case FLOAT64 -> new double[count];
      case COMPLEX64 -> new float[2 * count];
      case COMPLEX128 -> new double[2 * count];
      default -> throw new IllegalArgumentException(dtype.tfName());
    };
  }

  /** The memory of an array. */
  static MemorySegment memory(Object array) {
    return switch (array) {
      case byte[] bytes -> MemorySegment.ofArray(bytes);
      case short[] shorts -> MemorySegment.ofArray(shorts);
      case int[] ints -> MemorySegment.ofArray(ints);
      case long[] longs -> MemorySegment.ofArray(longs);
      case float[] floats -> MemorySegment.ofArray(floats);
      case double[] doubles -> MemorySegment.ofArray(doubles);
      default -> throw new IllegalArgumentException(array.getClass().getName());
    };
  }

  /** The bits of a number, extended by the sign. */
  static long bits(Object array, int index) {
    MemorySegment memory = memory(array);
    return switch (array) {
      case byte[] _ -> memory.get(JAVA_BYTE, index);
      case short[] _ -> memory.get(JAVA_SHORT_UNALIGNED, 2L * index);
      case int[] _, float[] _ -> memory.get(JAVA_INT_UNALIGNED, 4L * index);
      default -> memory.get(JAVA_LONG_UNALIGNED, 8L * index);
    };
  }

  private static void set(Object array, int index, long bits) {
    MemorySegment memory = memory(array);
    switch (array) {
      case byte[] _ -> memory.set(JAVA_BYTE, index, (byte) bits);
      case short[] _ -> memory.set(JAVA_SHORT_UNALIGNED, 2L * index, (short) bits);
      case int[] _, float[] _ -> memory.set(JAVA_INT_UNALIGNED, 4L * index, (int) bits);
      default -> memory.set(JAVA_LONG_UNALIGNED, 8L * index, bits);
    }
  }

  /** The number with these bits; an unsigned integer is exact below 2^53. */
  static double number(DataType dtype, long bits) {
    return switch (dtype.partType()) {
      case FLOAT64 -> Double.longBitsToDouble(bits);
      case FLOAT32 -> Float.intBitsToFloat((int) bits);
      case FLOAT16 -> Float.float16ToFloat((short) bits);
      case BFLOAT16 -> Float.intBitsToFloat((int) bits << 16);
      case UINT8 -> bits & 0xff;
      case UINT16 -> bits & 0xffff;
      case UINT32 -> bits & 0xffffffffL;
      default -> bits;
    };
  }

  private static long encode(DataType dtype, double value) {
    return switch (dtype) {
      case FLOAT64 -> Double.doubleToRawLongBits(value);
      case FLOAT32 -> Float.floatToRawIntBits((float) value);
      case FLOAT16 -> Float.floatToFloat16((float) value);
      case BFLOAT16 -> Float.floatToRawIntBits((float) value) >> 16;
      default -> throw new IllegalArgumentException(dtype.tfName());
    };
  }

  /** The bits of numbers at which operations behave in special ways. */
  static List<Long> specials(DataType dtype) {
    DataType part = dtype.partType();
    List<Long> specials = new ArrayList<>();
    if (part == DataType.BOOL) {
      return List.of(0L, 1L);
    }
    if (!part.isFloating()) {
      for (long value : LONGS) {
        specials.add(value);
      }
      return specials;
    }
    for (double value : DOUBLES) {
      specials.add(encode(part, value));
    }
    // The least numbers, the least normal one and that before it, the largest one.
    long sign = 1L << (8 * part.byteSize() - 1);
    long infinity = encode(part, Double.POSITIVE_INFINITY);
    long one = encode(part, 1);
    long least = infinity & ~(infinity << 1);
    for (long bits : new long[] {1, 2, least, least - 1, infinity - 1, one - 1, one + 1}) {
      specials.add(bits);
      specials.add(bits | sign);
    }
    return specials;
  }

  /** The bits of a number of any magnitude. */
  static long random(DataType dtype, RandomGenerator random) {
    DataType part = dtype.partType();
    if (part == DataType.BOOL) {
      return random.nextInt(2);
    }
    if (!part.isFloating()) {
      return random.nextLong() >> random.nextInt(64);
    }
    return switch (random.nextInt(3)) {
      case 0 -> random.nextLong();
      case 1 -> encode(part, random.nextGaussian() * 4);
      default -> encode(part, Math.scalb(random.nextGaussian(), random.nextInt(-40, 11)));
    };
  }

  /** Elements that are special and random; the first are all special ones, if in order. */
  static Object mixed(DataType dtype, int count, boolean inOrder, RandomGenerator random) {
    Object array = array(dtype, count);
    List<Long> specials = specials(dtype);
    int numbers = dtype.isComplex() ? 2 * count : count;
    for (int i = 0; i < numbers; i++) {
      long bits =
          inOrder && i < specials.size()
              ? specials.get(i)
              : random.nextBoolean()
                  ? specials.get(random.nextInt(specials.size()))
                  : random(dtype, random);
      set(array, i, bits);
    }
    return array;
  }

  /** Random elements of all magnitudes. */
  static Object random(DataType dtype, int count, RandomGenerator random) {
    Object array = array(dtype, count);
    for (int i = 0; i < count; i++) {
      set(array, i, random(dtype, random));
    }
    return array;
  }

  /** The elements of {@code array} at {@code indices}. */
  static Object gathered(DataType dtype, Object array, int[] indices) {
    Object result = array(dtype, indices.length);
    int parts = dtype.isComplex() ? 2 : 1;
    for (int i = 0; i < indices.length * parts; i++) {
      set(result, i, bits(array, indices[i / parts] * parts + i % parts));
    }
    return result;
  }
}

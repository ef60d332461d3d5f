package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

/** The kernels of kernels.cu, each with a check against Java of a module that has them. */
final class NvrtcKernels {
  private NvrtcKernels() {}

  /** Runs one kernel of a module and compares its results. */
  @FunctionalInterface
  interface Check {
    void run(TestDevice device);
  }

  static String ptx() throws IOException {
    try (InputStream in = NvrtcKernels.class.getResourceAsStream("kernels.ptx")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static byte[] floats(int n, IntToDoubleFunction value) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * n).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < n; i++) {
      bytes.putFloat(4 * i, (float) value.applyAsDouble(i));
    }
    return bytes.array();
  }

  private static ByteBuffer result(TestDevice device, long address, int bytes) {
    return ByteBuffer.wrap(device.bytes(address, bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** More elements than threads, and fewer. */
  static void affine(TestDevice device) {
    for (int n : new int[] {500, 10}) {
      byte[] x = new byte[n];
      new Random(n).nextBytes(x);
      long in = device.store(x);
      long out = device.allocate(4 * n);
      device.launch("affine", Dimensions.of(3), Dimensions.of(64), 0, in, out, 0.1f, -3f, n);
      ByteBuffer y = result(device, out, 4 * n);
      for (byte value : x) {
        assertThat(y.getFloat())
            .isEqualTo(Math.min(Math.max(Byte.toUnsignedInt(value) * 0.1f + -3f, 0f), 6f));
      }
    }
  }

  static void sum(TestDevice device) {
    for (int n : new int[] {1000, 50}) {
      int[] x = new Random(n).ints(n).toArray();
      int sum = 5;
      for (int value : x) {
        sum += value;
      }
      long in = device.store(x);
      long out = device.store(5);
      device.launch("sum", Dimensions.of(3), Dimensions.of(96), 0, in, out, n);
      assertThat(device.ints(out, 1)).containsExactly(sum);
    }
  }

  static void transpose(TestDevice device) {
    int rows = 20;
    int columns = 37;
    long in = device.store(floats(rows * columns, i -> i));
    long out = device.allocate(4 * rows * columns);
    device.launch(
        "transpose", new Dimensions(3, 2, 1), new Dimensions(16, 16, 1), 0, in, out, rows, columns);
    ByteBuffer y = result(device, out, 4 * rows * columns);
    for (int column = 0; column < columns; column++) {
      for (int row = 0; row < rows; row++) {
        assertThat(y.getFloat()).isEqualTo(row * columns + column);
      }
    }
  }

  static void integers(TestDevice device) {
    Random random = new Random(3);
    long[] x = random.longs(300).map(value -> value >> random.nextInt(60)).toArray();
    ByteBuffer bytes = ByteBuffer.allocate(8 * x.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(x);
    long in = device.store(bytes.array());
    long out = device.allocate(8 * x.length);
    device.launch("integers", Dimensions.of(5), Dimensions.of(64), 0, in, out, x.length);
    ByteBuffer y = result(device, out, 8 * x.length);
    for (long value : x) {
      assertThat(y.getLong()).as("of %d", value).isEqualTo(integers(value));
    }
  }

  private static long integers(long a) {
    int u = (int) a;
    int divisor = (int) (a >> 32) | 1;
    long r =
        (a / divisor + a % divisor)
            ^ Long.bitCount(a)
            ^ ((long) Integer.numberOfLeadingZeros(u) << 8);
    r ^=
        (Integer.toUnsignedLong(Integer.reverse(u)) << 16)
            ^ Integer.toUnsignedLong(Integer.divideUnsigned(u, 7))
            ^ Integer.toUnsignedLong(Integer.remainderUnsigned(u, 10))
            ^ (a / 1000003);
    // __byte_perm with the selector 0x5140: bytes 0 of both, then bytes 1 of both.
    long permuted = (u & 0xff) | (r & 0xff) << 8 | (u & 0xff00L) << 8 | (r & 0xff00) << 16;
    return r ^ permuted ^ Math.unsignedMultiplyHigh((long) u << 32, 0x9e3779b9L);
  }

  static void floats(TestDevice device) {
    Random random = new Random(4);
    int n = 300;
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = i < 3 ? new float[] {Float.NaN, -0f, 1e10f}[i] : (float) random.nextGaussian() * 40;
    }
    long in = device.store(floats(n, i -> x[i]));
    long out = device.allocate(4 * n);
    device.launch("floats", Dimensions.of(5), Dimensions.of(64), 0, in, out, n);
    ByteBuffer y = result(device, out, 4 * n);
    for (float value : x) {
      assertThat(y.getFloat()).as("of %s", value).isEqualTo(floats(value));
    }
  }

  private static float floats(float v) {
    if (Float.isNaN(v)) {
      return -1;
    }
    double d = v * 1.25 - 3.0;
    int k = (int) Math.rint(v) + (int) v + (int) Math.floor(v) + (int) d;
    float clamped = Math.min(Math.max(v, 0f), 255f);
    float r =
        (float) k
            + (float) d
            + (float) (int) clamped
            + (float) Math.sqrt(Math.abs(v))
            + 1 / (v + 1000)
            + Math.copySign(2f, v)
            + (float) (v < 0 ? Math.ceil(v) : Math.floor(v))
            + (float) Math.rint(v * 0.5f);
    return v / 3 > 1 || v < -10 ? r : Math.fma(v, v, r);
  }
}

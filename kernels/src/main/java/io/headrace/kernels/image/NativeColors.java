package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.kernels.kit.NativeLoops;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link HsvColors} by {@link NativeLoops}: the same results, bit for bit. Thread-safe. */
record NativeColors(MethodHandle hue, MethodHandle saturation) {
  /** Pixels of a call. */
  private static final int PIXELS = 1 << 16;

  static NativeColors of(NativeLoops loops) {
    return new NativeColors(
        loops.function("headrace_adjust_hue", ADDRESS, ADDRESS, JAVA_LONG, JAVA_FLOAT),
        loops.function("headrace_adjust_saturation", ADDRESS, ADDRESS, JAVA_LONG, JAVA_FLOAT));
  }

  /** Whether {@link #adjustHue} takes {@code delta}: hues are wrapped at most once. */
  static boolean isTurn(float delta) {
    return Math.abs(delta) <= 1;
  }

  /** {@link HsvColors#adjustHue}, for a {@code delta} that {@link #isTurn}. */
  void adjustHue(float[] in, int from, float[] out, int to, int count, float delta) {
    apply(hue, in, from, out, to, count, delta);
  }

  /** {@link HsvColors#adjustSaturation}. */
  void adjustSaturation(float[] in, int from, float[] out, int to, int count, float scale) {
    apply(saturation, in, from, out, to, count, scale);
  }

  private static void apply(
      MethodHandle function, float[] in, int from, float[] out, int to, int count, float by) {
    for (int done = 0; done < count; done += 3 * PIXELS) {
      long floats = Math.min(3 * PIXELS, count - done);
      try {
        function.invokeExact(
            MemorySegment.ofArray(in).asSlice(Float.BYTES * (long) (from + done)),
            MemorySegment.ofArray(out).asSlice(Float.BYTES * (long) (to + done)),
            floats / 3,
            by);
      } catch (Throwable e) {
        throw new AssertionError("a C function does not throw", e);
      }
    }
  }
}

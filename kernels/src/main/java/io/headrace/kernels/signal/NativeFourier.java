package io.headrace.kernels.signal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.kernels.kit.NativeLoops;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The stages of {@link ComplexFft}, and whole spectra of {@link RealFft}, by {@link NativeLoops}:
 * the same results, bit for bit. Thread-safe.
 */
record NativeFourier(MethodHandle stages, MethodHandle spectra) {
  /** Numbers of a call, about. */
  private static final int NUMBERS = 1 << 16;

  /** The functions, where there are any. */
  static final @Nullable NativeFourier INSTANCE =
      NativeLoops.find().map(NativeFourier::of).orElse(null);

  static NativeFourier of(NativeLoops loops) {
    return new NativeFourier(
        loops.function(
            "headrace_fourier",
            ADDRESS,
            ADDRESS,
            ADDRESS,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            ADDRESS,
            ADDRESS),
        loops.function(
            "headrace_real_fourier",
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            ADDRESS));
  }

  /** A transform of numbers with small prime factors: a radix a stage, and the circle's points. */
  record Plan(int length, MemorySegment radices, MemorySegment cosines, MemorySegment sines) {
    static Plan of(int length, int[] radices, double[] cosines, double[] sines) {
      return new Plan(
          length,
          MemorySegment.ofArray(radices),
          MemorySegment.ofArray(cosines),
          MemorySegment.ofArray(sines));
    }

    private long stages() {
      return radices.byteSize() / Integer.BYTES;
    }

    /** Whether a call is short enough. */
    boolean isShort() {
      return length <= NUMBERS;
    }
  }

  /** Transforms the first elements of both arrays in place. */
  void transform(Plan plan, double[] re, double[] im) {
    double[] work = new double[2 * plan.length];
    try {
      stages.invokeExact(
          MemorySegment.ofArray(re),
          MemorySegment.ofArray(im),
          MemorySegment.ofArray(work),
          (long) plan.length,
          plan.radices,
          plan.stages(),
          plan.cosines,
          plan.sines);
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  /** Lines for a call of {@link #spectra}. */
  static int linesAtOnce(Plan half) {
    return Math.max(1, NUMBERS / Math.max(1, 2 * half.length));
  }

  /**
   * Writes spectra of real sequences.
   *
   * @param half the transform of half a sequence
   * @param whole of its points, those of half the circle are read
   * @param from index of the first sequence
   * @param step numbers from the beginning of a sequence to that of the next
   * @param to index of the first float of the first spectrum
   */
  void spectra(
      Plan half, Plan whole, float[] in, int from, int step, int lines, float[] out, int to) {
    double[] work = new double[4 * half.length];
    try {
      spectra.invokeExact(
          MemorySegment.ofArray(in).asSlice((long) Float.BYTES * from),
          (long) step,
          (long) lines,
          (long) half.length,
          half.radices,
          half.stages(),
          half.cosines,
          half.sines,
          whole.cosines,
          whole.sines,
          MemorySegment.ofArray(work),
          MemorySegment.ofArray(out).asSlice((long) Float.BYTES * to));
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }
}

package io.headrace.kernels.random;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Standard normal samples of float32 by {@link NativeLoops} and the C library: those of {@link
 * Distributions#boxMuller}, bit for bit. Thread-safe.
 */
record NativeNormals(MethodHandle normals, MemorySegment logarithm, MemorySegment sineAndCosine) {
  /** Blocks of a call. */
  private static final int BLOCKS = 1 << 12;

  /** The functions, where there are any. */
  static final @Nullable NativeNormals INSTANCE =
      NativeLoops.find().flatMap(NativeNormals::of).orElse(null);

  /** The functions of {@code loops}, if the C library has those that they call. */
  static Optional<NativeNormals> of(NativeLoops loops) {
    return LibcMath.function("logf")
        .flatMap(logarithm ->
            LibcMath.function("sincosf")
                .map(sineAndCosine ->
                    new NativeNormals(
                        loops.function(
                            "headrace_normals",
                            JAVA_LONG,
                            JAVA_LONG,
                            JAVA_LONG,
                            JAVA_LONG,
                            ADDRESS,
                            ADDRESS,
                            ADDRESS),
                        logarithm,
                        sineAndCosine)));
  }

  /** Writes four samples of each of the next {@code blocks} blocks of {@code gen}. */
  void fill(Philox gen, float[] array, int blocks, Cancellation stop) {
    int done = 0;
    while (done < blocks) {
      stop.check();
      int count = Math.min(BLOCKS, blocks - done);
      write(gen, array, Philox.BLOCK * done, count);
      gen.skip(count);
      done += count;
    }
  }

  private void write(Philox gen, float[] array, int at, int blocks) {
    try {
      normals.invokeExact(
          gen.key(),
          gen.counterLow(),
          gen.counterHigh(),
          (long) blocks,
          logarithm,
          sineAndCosine,
          MemorySegment.ofArray(array).asSlice((long) Float.BYTES * at));
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }
}

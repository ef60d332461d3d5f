package io.headrace.kernels.kit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.runtime.tensor.ElementKind;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The three innermost dimensions of a {@link StridedMove}, by {@link NativeLoops}. Thread-safe. */
record NativeMove(MethodHandle bytes, MethodHandle shorts, MethodHandle ints, MethodHandle longs) {
  /** Elements of a call, about. */
  static final int ELEMENTS = 1 << 18;

  /** The functions, where there are any. */
  static final @Nullable NativeMove INSTANCE =
      NativeLoops.levels().stream().findFirst().map(NativeMove::of).orElse(null);

  /**
   * A dimension of a copy.
   *
   * @param size the number of its indices
   * @param fromStride the distance of two of them in the source, in slots
   * @param toStride the distance of two of them in the target, in slots
   */
  record Dimension(int size, int fromStride, int toStride) {}

  private static NativeMove of(NativeLoops loops) {
    return new NativeMove(
        function(loops, "headrace_move_bytes"),
        function(loops, "headrace_move_shorts"),
        function(loops, "headrace_move_ints"),
        function(loops, "headrace_move_longs"));
  }

  private static MethodHandle function(NativeLoops loops, String name) {
    MemoryLayout[] arguments = new MemoryLayout[11];
    Arrays.fill(arguments, JAVA_LONG);
    arguments[0] = ADDRESS;
    arguments[1] = ADDRESS;
    return loops.function(name, arguments);
  }

  /**
   * Copies the slot {@code f} of {@code from} to the slot {@code t} of {@code to}, and those at the
   * strides from it. Both are arrays of {@code kind}, which is of fixed width, and do not overlap.
   */
  void run(
      ElementKind kind,
      Object from,
      int f,
      Object to,
      int t,
      Dimension blocks,
      Dimension rows,
      Dimension run) {
    try {
      function(kind)
          .invokeExact(
              slots(from, f),
              slots(to, t),
              (long) blocks.size,
              (long) blocks.fromStride,
              (long) blocks.toStride,
              (long) rows.size,
              (long) rows.fromStride,
              (long) rows.toStride,
              (long) run.size,
              (long) run.fromStride,
              (long) run.toStride);
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  private MethodHandle function(ElementKind kind) {
    return switch (kind) {
      case BYTE -> bytes;
      case SHORT -> shorts;
      case INT, FLOAT, FLOAT_PAIR -> ints;
      case LONG, DOUBLE, DOUBLE_PAIR -> longs;
      case BYTES, REFERENCE -> throw new AssertionError(kind);
    };
  }

  private static MemorySegment slots(Object array, int at) {
    return switch (array) {
      case byte[] a -> MemorySegment.ofArray(a).asSlice(at);
      case short[] a -> MemorySegment.ofArray(a).asSlice((long) Short.BYTES * at);
      case int[] a -> MemorySegment.ofArray(a).asSlice((long) Integer.BYTES * at);
      case long[] a -> MemorySegment.ofArray(a).asSlice((long) Long.BYTES * at);
      case float[] a -> MemorySegment.ofArray(a).asSlice((long) Float.BYTES * at);
      case double[] a -> MemorySegment.ofArray(a).asSlice((long) Double.BYTES * at);
      default -> throw new AssertionError(array.getClass());
    };
  }
}

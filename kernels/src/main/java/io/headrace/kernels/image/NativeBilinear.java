package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.kernels.image.ResizeBilinearOps.Weights;
import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Bilinear resizing of images with three channels, of unsigned bytes or floats, by {@link
 * NativeLoops}: the same results as {@link ResizeBilinearOps}, bit for bit. Thread-safe.
 */
record NativeBilinear(MethodHandle bytes, MethodHandle floats) {
  private static final int CHANNELS = 3;

  /** Pixels of a call, about. */
  private static final int PIXELS = 1 << 16;

  /** The functions, where there are any. */
  static final @Nullable NativeBilinear INSTANCE =
      NativeLoops.find().map(NativeBilinear::of).orElse(null);

  static NativeBilinear of(NativeLoops loops) {
    return new NativeBilinear(
        function(loops, "headrace_bilinear_bytes"), function(loops, "headrace_bilinear_floats"));
  }

  private static MethodHandle function(NativeLoops loops, String name) {
    return loops.function(
        name, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS,
        ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
  }

  /** Whether {@link #resize} takes {@code images}. */
  static boolean takes(Tensor images) {
    boolean isRead = images.dtype() == DataType.UINT8 || images.dtype() == DataType.FLOAT32;
    return isRead && images.shape().size(3) == CHANNELS;
  }

  /** Resizes all images, which it {@link #takes}. */
  void resize(
      Tensor images,
      ResizeGrid grid,
      Weights rows,
      Weights columns,
      float[] out,
      Cancellation stop) {
    int width = grid.outWidth();
    MemorySegment firstRows = MemorySegment.ofArray(rows.lower);
    MemorySegment secondRows = MemorySegment.ofArray(rows.upper);
    MemorySegment rowFraction = MemorySegment.ofArray(rows.fraction);
    MemorySegment left = MemorySegment.ofArray(Weights.channels(columns.lower, CHANNELS));
    MemorySegment right = MemorySegment.ofArray(Weights.channels(columns.upper, CHANNELS));
    MemorySegment columnFraction = MemorySegment.ofArray(columns.fraction);
    MemorySegment work = MemorySegment.ofArray(new float[2 * CHANNELS * width]);
    int most = Math.max(1, PIXELS / width);
    for (int b = 0; b < grid.batch(); b++) {
      MemorySegment image = memory(images.row(b));
      for (int y = 0; y < grid.outHeight(); y += most) {
        stop.check();
        long at = (long) CHANNELS * width * (b * grid.outHeight() + y);
        try {
          (images.dtype() == DataType.UINT8 ? bytes : floats)
              .invokeExact(
                  image,
                  (long) grid.inWidth(),
                  firstRows,
                  secondRows,
                  rowFraction,
                  (long) y,
                  (long) Math.min(y + most, grid.outHeight()),
                  left,
                  right,
                  columnFraction,
                  (long) width,
                  work,
                  MemorySegment.ofArray(out).asSlice(Float.BYTES * at));
        } catch (Throwable e) {
          throw new AssertionError("a C function does not throw", e);
        }
      }
    }
  }

  /** The array of {@code image}, from its first element on. */
  static MemorySegment memory(Tensor image) {
    long at = TensorMemory.offset(image);
    return TensorMemory.array(image) instanceof float[] floats
        ? MemorySegment.ofArray(floats).asSlice(Float.BYTES * at)
        : MemorySegment.ofArray((byte[]) TensorMemory.array(image)).asSlice(at);
  }
}

package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.kernels.image.ResizeAreaOps.Areas;
import io.headrace.kernels.kit.NativeLoops;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Resizing to the means of areas, of images with three channels, of unsigned bytes or floats, by
 * {@link NativeLoops}: the same results as {@link ResizeAreaOps}, bit for bit. Thread-safe.
 */
record NativeArea(MethodHandle bytes, MethodHandle floats) {
  /** Pixels read or written by a call, about. */
  private static final int PIXELS = 1 << 16;

  /** The functions, where there are any. */
  static final @Nullable NativeArea INSTANCE = NativeLoops.find().map(NativeArea::of).orElse(null);

  static NativeArea of(NativeLoops loops) {
    return new NativeArea(
        function(loops, "headrace_area_bytes"), function(loops, "headrace_area_floats"));
  }

  private static MethodHandle function(NativeLoops loops, String name) {
    return loops.function(
        name,
        ADDRESS,
        JAVA_LONG,
        ADDRESS,
        ADDRESS,
        ADDRESS,
        JAVA_LONG,
        JAVA_LONG,
        ADDRESS,
        ADDRESS,
        ADDRESS,
        JAVA_LONG,
        JAVA_FLOAT,
        ADDRESS,
        ADDRESS);
  }

  /** Whether {@link #resize} takes {@code images}. */
  static boolean takes(Tensor images) {
    return NativeBilinear.takes(images);
  }

  /** Resizes all images, which it {@link #takes}. */
  void resize(
      Tensor images, ResizeGrid grid, Areas rows, Areas columns, float[] out, Cancellation stop) {
    int channels = grid.channels();
    int width = grid.outWidth();
    MemorySegment rowStarts = MemorySegment.ofArray(rows.starts);
    MemorySegment rowIndices = MemorySegment.ofArray(rows.indices);
    MemorySegment rowWeights = MemorySegment.ofArray(rows.weights);
    MemorySegment columnStarts = MemorySegment.ofArray(columns.starts);
    MemorySegment columnElements = MemorySegment.ofArray(columns.elements(channels));
    MemorySegment columnWeights = MemorySegment.ofArray(columns.weights);
    MemorySegment work = MemorySegment.ofArray(new float[channels * width + 1]);
    float scale = ResizeAreaOps.scale(grid);
    double pixelsOfRow = Math.max(1, grid.heightScale()) * Math.max(grid.inWidth(), width);
    int most = Math.max(1, (int) (PIXELS / pixelsOfRow));
    for (int b = 0; b < grid.batch(); b++) {
      MemorySegment image = NativeBilinear.memory(images.row(b));
      for (int y = 0; y < grid.outHeight(); y += most) {
        stop.check();
        long at = (long) channels * width * (b * grid.outHeight() + y);
        try {
          (images.dtype() == DataType.UINT8 ? bytes : floats)
              .invokeExact(
                  image,
                  (long) grid.inWidth(),
                  rowStarts,
                  rowIndices,
                  rowWeights,
                  (long) y,
                  (long) Math.min(y + most, grid.outHeight()),
                  columnStarts,
                  columnElements,
                  columnWeights,
                  (long) width,
                  scale,
                  work,
                  MemorySegment.ofArray(out).asSlice(Float.BYTES * at));
        } catch (Throwable e) {
          throw new AssertionError("a C function does not throw", e);
        }
      }
    }
  }
}

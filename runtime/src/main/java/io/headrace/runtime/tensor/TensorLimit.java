package io.headrace.runtime.tensor;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bound on the bytes of any one tensor: a quarter of the heap unless set. The bound is global,
 * since all tensors share the heap. Thread-safe.
 */
public final class TensorLimit {
  private static final AtomicLong MAX_BYTES = new AtomicLong(Runtime.getRuntime().maxMemory() / 4);

  /** The size of a reference in an array, in bytes. */
  private static final int REFERENCE_BYTES = 8;

  private TensorLimit() {}

  /** The bound, in bytes. */
  public static long maxBytes() {
    return MAX_BYTES.get();
  }

  /** Sets the bound, in bytes, at least 1. */
  public static void setMaxBytes(long bytes) {
    if (bytes < 1) {
      throw StatusException.invalidArgument(
          "the bound on a tensor's bytes must be at least 1: %d", bytes);
    }
    MAX_BYTES.set(bytes);
  }

  /**
   * An array for a tensor of {@code dtype} and {@code shape}: zeros, or nulls. In the run of a
   * function it may be one whose value is no longer needed. RESOURCE_EXHAUSTED, before it is
   * allocated, if it would pass the bound.
   */
  public static Object allocate(DataType dtype, Shape shape) {
    check(dtype, shape);
    return RunArrays.takeZeros(dtype.kind(), shape.elements());
  }

  /** The same, but numbers are undefined: for kernels that write each element. */
  public static Object allocateUnset(DataType dtype, Shape shape) {
    check(dtype, shape);
    return RunArrays.take(dtype.kind(), shape.elements());
  }

  /** RESOURCE_EXHAUSTED if a tensor of {@code dtype} and {@code shape} would exceed the bound. */
  public static void check(DataType dtype, Shape shape) {
    long bytes =
        (long) shape.elements()
            * (dtype.kind().isFixedWidth() ? dtype.byteSize() : REFERENCE_BYTES);
    long bound = MAX_BYTES.get();
    if (bytes > bound) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a tensor %s%s of %d bytes passes the bound of %d bytes for one tensor",
          dtype.tfName(),
          shape,
          bytes,
          bound);
    }
  }
}

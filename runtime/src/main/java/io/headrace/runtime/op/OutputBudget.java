package io.headrace.runtime.op;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on the bytes of all tensors that the kernels of a step output, one after the other. Bytes
 * stay counted when a tensor is no longer used, so the bound holds whatever a graph keeps. Several
 * steps may share one budget. Thread-safe.
 */
public final class OutputBudget implements AutoCloseable {
  private static final OutputBudget UNLIMITED = new OutputBudget(false, 0, new AtomicLong());

  /** The cost of a tensor beside its elements. */
  private static final long TENSOR_BYTES = 64;

  private final boolean isLimited;
  private final long maxBytes;
  private final AtomicLong left;
  private final AtomicLong taken = new AtomicLong();

  private OutputBudget(boolean isLimited, long maxBytes, AtomicLong left) {
    this.isLimited = isLimited;
    this.maxBytes = maxBytes;
    this.left = left;
  }

  /** No bound. */
  public static OutputBudget unlimited() {
    return UNLIMITED;
  }

  /** A bound of {@code maxBytes}. */
  public static OutputBudget ofBytes(long maxBytes) {
    return new OutputBudget(true, maxBytes, new AtomicLong(maxBytes));
  }

  /** A part of this budget, as large as is left of it; closing the part gives its bytes back. */
  public OutputBudget part() {
    return new OutputBudget(isLimited, maxBytes, left);
  }

  /** Whether there is a bound. */
  public boolean isLimited() {
    return isLimited;
  }

  /** Takes the bytes of {@code value}; RESOURCE_EXHAUSTED if they are not left. */
  public void take(Tensor value) {
    if (isLimited) {
      take(TENSOR_BYTES + value.byteSize());
    }
  }

  private void take(long bytes) {
    taken.addAndGet(bytes);
    if (left.addAndGet(-bytes) < 0) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "the tensors made here pass the bound of %d bytes for all of them",
          maxBytes);
    }
  }

  @Override
  public void close() {
    left.addAndGet(taken.getAndSet(0));
  }
}

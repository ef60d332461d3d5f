package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;

/** Calls of the driver that append work to a stream; they wait for nothing. */
@FunctionalInterface
public interface EnqueuedWork {
  /** Appends the work to the stream with the handle {@code stream}. */
  void enqueue(CudaDriver driver, long stream);
}

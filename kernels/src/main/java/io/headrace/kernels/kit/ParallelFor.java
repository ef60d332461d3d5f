package io.headrace.kernels.kit;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A parallel for loop for kernels. All kernels share one pool of as many threads as there are
 * processors, at most 32.
 */
public final class ParallelFor {
  /** Bound on the pool: native libraries may lack memory for more threads. */
  private static final int MAX_THREADS = 32;

  private static final ForkJoinPool POOL =
      new ForkJoinPool(
          Math.min(Runtime.getRuntime().availableProcessors(), MAX_THREADS),
          pool -> {
            ForkJoinWorkerThread thread =
                ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
            thread.setName("kernel-" + thread.getPoolIndex());
            return thread;
          },
          null,
          false);

  private ParallelFor() {}

  /** Size of the pool. */
  public static int threads() {
    return POOL.getParallelism();
  }

  /**
   * Runs {@code part} for 0 to {@code parts - 1} on the pool and returns when all are done. The
   * exception of a failed part is rethrown. Parts must not wait for one another.
   */
  public static void forEach(int parts, IntConsumer part) {
    POOL.submit(() -> IntStream.range(0, parts).parallel().forEach(part)).join();
  }
}

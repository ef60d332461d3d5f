package io.headrace.kernels.kit;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Work of one kernel that several processors share. However many kernels have some, no more threads
 * than processors work on all of it.
 */
public final class SharedWork {
  /** More threads than this a library may have no memory for. */
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

  private SharedWork() {}

  /** Threads that may work at once. */
  public static int threads() {
    return POOL.getParallelism();
  }

  /**
   * Does {@code part} for 0 up to {@code parts}, and returns when all are done. It throws what one
   * of them threw. Parts must not wait for one another.
   */
  public static void forEach(int parts, IntConsumer part) {
    POOL.submit(() -> IntStream.range(0, parts).parallel().forEach(part)).join();
  }
}

package io.headrace.fakecuda.machine;

import java.util.List;

/** An instruction that lanes of a warp execute together. */
non-sealed interface WarpOperation extends ThreadBarrier {
  /**
   * Executes it for all lanes that take part; they continue behind it.
   *
   * @param lanes the threads that take part, in the order of their lanes
   * @param mask a bit for each of them
   */
  void complete(List<GpuThread> lanes, int mask);

  /** Whether it orders the memory accesses of the lanes, too. */
  default boolean ordersMemory() {
    return false;
  }
}

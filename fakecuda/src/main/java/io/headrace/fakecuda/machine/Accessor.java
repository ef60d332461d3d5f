package io.headrace.fakecuda.machine;

/**
 * The thread that accesses memory, as far as the order of accesses goes. A copy is an operation of
 * one thread. Used by one thread.
 */
final class Accessor {
  /** The number of the operation, above 0. */
  final int operation;

  /** The thread's number in the grid: block by block. */
  final int thread;

  final int blockSize;

  /** The count of barriers of its block, and of its warps, so far. */
  int now;

  /** The value of {@code now} behind the last barrier of its block. */
  int blockBarrier;

  /** The value of {@code now} behind the last barrier of its warp. */
  int warpBarrier;

  Accessor(int operation, int thread, int blockSize) {
    this.operation = operation;
    this.thread = thread;
    this.blockSize = blockSize;
  }

  /** The accessor of a copy. */
  static Accessor ofCopy(int operation) {
    return new Accessor(operation, 0, 1);
  }

  boolean isInBlockOf(int other) {
    return thread / blockSize == other / blockSize;
  }

  boolean isInWarpOf(int other) {
    return isInBlockOf(other)
        && thread % blockSize / GpuBlock.WARP == other % blockSize / GpuBlock.WARP;
  }

  /** A name for messages. */
  String describe() {
    return "thread " + thread % blockSize + " of block " + thread / blockSize;
  }
}

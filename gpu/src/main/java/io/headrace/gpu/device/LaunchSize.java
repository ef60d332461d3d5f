package io.headrace.gpu.device;

/**
 * How many threads a launch has: a grid of blocks, each a box of threads.
 *
 * @param sharedBytes the dynamic shared memory of each block
 */
public record LaunchSize(
    int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedBytes) {
  /** A row of {@code blocks} blocks of {@code threads} threads. */
  public static LaunchSize linear(int blocks, int threads) {
    return new LaunchSize(blocks, 1, 1, threads, 1, 1, 0);
  }
}

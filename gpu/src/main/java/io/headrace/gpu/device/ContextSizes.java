package io.headrace.gpu.device;

/**
 * The most that a context keeps.
 *
 * @param slots the pinned buffers of each direction of copies
 * @param slotBytes the size of one
 * @param modules the modules that stay loaded while nobody holds them
 * @param leastBlockBytes the size of results from which they get pinned memory of their own
 */
record ContextSizes(int slots, long slotBytes, int modules, long leastBlockBytes) {
  /** Twice eight slots of 4 MiB, 1024 modules, and results of 256 KiB. */
  static final ContextSizes DEFAULT = new ContextSizes(8, 4 << 20, 1024, 256 << 10);
}

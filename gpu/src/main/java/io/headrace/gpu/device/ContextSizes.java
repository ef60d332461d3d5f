package io.headrace.gpu.device;

/**
 * The most that a context keeps.
 *
 * @param slots the pinned buffers of each direction of copies
 * @param slotBytes the size of one
 * @param modules the modules that stay loaded while nobody holds them
 */
record ContextSizes(int slots, long slotBytes, int modules) {
  /** Twice eight slots of 4 MiB, and 1024 modules. */
  static final ContextSizes DEFAULT = new ContextSizes(8, 4 << 20, 1024);
}

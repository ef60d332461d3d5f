package io.headrace.kernels.image;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A buffer in native memory that grows and is freed by {@code close}. Used by one thread. */
final class NativeBuffer implements AutoCloseable {
  private Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  /** A buffer of at least {@code bytes}, of any content; earlier ones are no longer valid. */
  MemorySegment reserve(long bytes) {
    if (bytes > memory.byteSize()) {
      arena.close();
      arena = Arena.ofShared();
      memory = arena.allocate(Math.max(bytes, 2 * memory.byteSize()));
    }
    return memory;
  }

  long capacity() {
    return memory.byteSize();
  }

  @Override
  public void close() {
    arena.close();
  }
}

package io.headrace.gpu.device;

/** An allocation of the driver, cut into blocks without gaps. Used under the context's lock. */
final class MemoryRegion {
  private final long address;
  private final long bytes;
  private final MemoryBlock first;

  /** A region that is one free block. */
  MemoryRegion(long address, long bytes) {
    this.address = address;
    this.bytes = bytes;
    first = new MemoryBlock(this, address, bytes);
  }

  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  /** The block at the region's address; the others are behind it. */
  MemoryBlock first() {
    return first;
  }

  /** Whether no buffer is in it. */
  boolean isFree() {
    return first.owner() == null && first.behind == null;
  }
}

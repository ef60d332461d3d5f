package io.headrace.fakecuda.machine;

/** One allocation of device memory. Its address is never used again. Used by one thread. */
final class Allocation {
  private final long address;
  private final int size;
  private byte[] data;
  private AccessHistory history;
  private boolean freed;

  Allocation(long address, int size, AccessOrder order, ReadSets readSets) {
    this.address = address;
    this.size = size;
    this.data = new byte[size];
    this.history = new AccessHistory(size, order, readSets);
  }

  long address() {
    return address;
  }

  int size() {
    return size;
  }

  byte[] data() {
    return data;
  }

  AccessHistory history() {
    return history;
  }

  boolean isFreed() {
    return freed;
  }

  /** Gives up the bytes; the allocation remains as the explanation of later accesses. */
  void free() {
    freed = true;
    data = new byte[0];
    history = new AccessHistory(0, AccessOrder.SEQUENTIAL, new ReadSets());
  }

  boolean contains(long from, long bytes) {
    return from >= address && bytes <= size && from - address <= size - bytes;
  }
}

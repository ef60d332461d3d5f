package io.headrace.fakecuda.driver;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pinned host memory: what the driver has allocated, and what callers have registered with it.
 * Used under the driver's lock.
 */
final class PinnedMemory {
  private static final long ALIGNMENT = 4096;

  private final TreeMap<Long, Block> blocks = new TreeMap<>();
  private final TreeMap<Long, Registration> registrations = new TreeMap<>();

  /** A block and the arena by which it is freed. */
  private record Block(Arena arena, long bytes) {}

  /** Memory of the caller's, registered in the context of a device, with which that ends. */
  private record Registration(FakeDevice device, long bytes) {}

  long allocate(long bytes) {
    Arena arena = Arena.ofShared();
    long address = arena.allocate(bytes, ALIGNMENT).address();
    blocks.put(address, new Block(arena, bytes));
    return address;
  }

  void free(long address) {
    Block block = blocks.remove(address);
    if (block == null) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    block.arena().close();
  }

  void register(FakeDevice device, long address, long bytes) {
    Map.Entry<Long, Registration> below = registrations.lowerEntry(address + bytes);
    if (below != null && below.getKey() + below.getValue().bytes() > address) {
      throw new DriverError(CudaError.HOST_MEMORY_ALREADY_REGISTERED);
    }
    registrations.put(address, new Registration(device, bytes));
  }

  void unregister(long address) {
    if (registrations.remove(address) == null) {
      throw new DriverError(CudaError.HOST_MEMORY_NOT_REGISTERED);
    }
  }

  /** The device's context is destroyed. */
  void unregisterAll(FakeDevice device) {
    registrations.values().removeIf(registration -> registration.device() == device);
  }

  /** Whether all these bytes are in one block, or registered together. */
  boolean contains(long address, long bytes) {
    Map.Entry<Long, Block> block = blocks.floorEntry(address);
    Map.Entry<Long, Registration> registered = registrations.floorEntry(address);
    return (block != null && address - block.getKey() <= block.getValue().bytes() - bytes)
        || (registered != null
            && address - registered.getKey() <= registered.getValue().bytes() - bytes);
  }

  int blocks() {
    return blocks.size();
  }

  int registered() {
    return registrations.size();
  }

  void freeAll() {
    blocks.values().forEach(block -> block.arena().close());
    blocks.clear();
    registrations.clear();
  }
}

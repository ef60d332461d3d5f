package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The global memory of a device. Addresses are never reused, and no two allocations adjoin, so that
 * every access outside of an allocation is found. Used by one thread at a time.
 */
public final class DeviceMemory {
  private static final long FIRST_ADDRESS = 0x7f00_0000_0000L;
  private static final long ALIGNMENT = 256;
  private static final long GAP = 4096;

  private final long capacity;
  private final AccessOrder order;
  private final ReadSets readSets = new ReadSets();
  private final TreeMap<Long, Allocation> allocations = new TreeMap<>();
  private long nextAddress = FIRST_ADDRESS;
  private long used;
  private @Nullable Allocation last;

  /** Empty memory of {@code capacity} bytes, whose accesses are checked against {@code order}. */
  public DeviceMemory(long capacity, AccessOrder order) {
    this.capacity = capacity;
    this.order = order;
  }

  /** Memory whose operations run one after the other. */
  public DeviceMemory(long capacity) {
    this(capacity, AccessOrder.SEQUENTIAL);
  }

  AccessOrder order() {
    return order;
  }

  ReadSets readSets() {
    return readSets;
  }

  /** The bytes that are not allocated. */
  public long free() {
    return capacity - used;
  }

  /** The bytes that there are. */
  public long capacity() {
    return capacity;
  }

  /** The address of new, undefined memory; empty if there is not enough. */
  public OptionalLong allocate(long bytes) {
    if (bytes > capacity - used || bytes > Integer.MAX_VALUE - 8) {
      return OptionalLong.empty();
    }
    long address = nextAddress;
    nextAddress += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + GAP;
    used += bytes;
    allocations.put(address, new Allocation(address, (int) bytes, order, readSets));
    return OptionalLong.of(address);
  }

  /** Whether an allocation that is not freed begins at {@code address}. */
  public boolean isAllocated(long address) {
    Allocation found = allocations.get(address);
    return found != null && !found.isFreed();
  }

  /** Frees an allocation, whose accesses must all be over before {@code operation}. */
  public void free(long address, int operation) {
    Allocation found = allocations.get(address);
    if (found == null) {
      throw new GpuFault(Kind.ILLEGAL_ADDRESS, "no allocation begins at " + hex(address));
    }
    if (found.isFreed()) {
      throw new GpuFault(Kind.ILLEGAL_ADDRESS, hex(address) + " is freed twice");
    }
    found.history().retire(Accessor.ofCopy(operation));
    used -= found.size();
    found.free();
  }

  /** Frees an allocation that no operation has accessed. */
  void discard(long address) {
    Allocation found = at(address, 0, "free");
    used -= found.size();
    found.free();
  }

  /** The addresses of allocations that are not freed. */
  public List<Long> leaks() {
    return allocations.entrySet().stream()
        .filter(entry -> !entry.getValue().isFreed())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The size of the allocation that begins at {@code address}. */
  public int sizeOf(long address) {
    return at(address, 0, "query").size();
  }

  /** Copies {@code from} to the device, as {@code operation}. */
  public void write(long to, byte[] from, int operation) {
    Allocation target = at(to, from.length, "copy");
    int at = (int) (to - target.address());
    target.history().write(Accessor.ofCopy(operation), at, from.length);
    System.arraycopy(from, 0, target.data(), at, from.length);
  }

  /** Copies {@code bytes}, which must be defined, from the device, as {@code operation}. */
  public byte[] read(long from, int bytes, int operation) {
    Allocation source = at(from, bytes, "copy");
    int at = (int) (from - source.address());
    source.history().read(Accessor.ofCopy(operation), at, bytes);
    byte[] result = new byte[bytes];
    System.arraycopy(source.data(), at, result, 0, bytes);
    return result;
  }

  /** Copies within the device, as {@code operation}; undefined bytes remain undefined. */
  public void copy(long to, long from, int bytes, int operation) {
    Allocation source = at(from, bytes, "copy");
    Allocation target = at(to, bytes, "copy");
    if (Math.abs(to - from) < bytes) {
      throw new GpuFault(Kind.UNSPECIFIED, "the ranges of a copy within the device overlap");
    }
    int fromAt = (int) (from - source.address());
    int toAt = (int) (to - target.address());
    source.history().readAsCopy(Accessor.ofCopy(operation), fromAt, bytes);
    target.history().write(Accessor.ofCopy(operation), toAt, bytes);
    target.history().copyDefined(toAt, source.history(), fromAt, bytes);
    System.arraycopy(source.data(), fromAt, target.data(), toAt, bytes);
  }

  /** The allocation that has all of these bytes. */
  Allocation at(long address, long bytes, String access) {
    Allocation cached = last;
    if (cached != null && cached.contains(address, bytes) && !cached.isFreed()) {
      return cached;
    }
    Map.Entry<Long, Allocation> below = allocations.floorEntry(address);
    if (below == null) {
      throw new GpuFault(
          Kind.ILLEGAL_ADDRESS,
          "%s of %d bytes at %s, where nothing is allocated"
              .formatted(access, bytes, hex(address)));
    }
    Allocation found = below.getValue();
    if (!found.contains(address, bytes)) {
      throw new GpuFault(
          Kind.ILLEGAL_ADDRESS,
          "%s of %d bytes at %s, which is at byte %d of an allocation of %d"
              .formatted(access, bytes, hex(address), address - found.address(), found.size()));
    }
    if (found.isFreed()) {
      throw new GpuFault(
          Kind.ILLEGAL_ADDRESS,
          "%s of %d bytes at %s, which is freed".formatted(access, bytes, hex(address)));
    }
    last = found;
    return found;
  }

  static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}

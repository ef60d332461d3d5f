package io.headrace.gpu.device;

import org.jspecify.annotations.Nullable;

/** A part of a region, free or held by a buffer. Used under the context's lock. */
final class MemoryBlock {
  private final MemoryRegion region;
  private final long address;

  /** The work that used the memory before it was freed. */
  final StreamUses uses = new StreamUses();

  private long bytes;
  private @Nullable String owner;
  @Nullable MemoryBlock before;
  @Nullable MemoryBlock behind;

  MemoryBlock(MemoryRegion region, long address, long bytes) {
    this.region = region;
    this.address = address;
    this.bytes = bytes;
  }

  MemoryRegion region() {
    return region;
  }

  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  /** Its holder; null while it is free. */
  @Nullable String owner() {
    return owner;
  }

  void setOwner(@Nullable String name) {
    owner = name;
  }

  /** Cuts the block behind its first {@code first} bytes; returns the rest, as free as this one. */
  MemoryBlock split(long first) {
    MemoryBlock rest = new MemoryBlock(region, address + first, bytes - first);
    rest.uses.add(uses);
    bytes = first;
    MemoryBlock next = behind;
    rest.before = this;
    rest.behind = next;
    if (next != null) {
      next.before = rest;
    }
    behind = rest;
    return rest;
  }

  /** Joins the block behind it, which is {@code next}, to this one. */
  void merge(MemoryBlock next) {
    bytes += next.bytes;
    uses.add(next.uses);
    MemoryBlock second = next.behind;
    behind = second;
    if (second != null) {
      second.before = this;
    }
  }
}

package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a kernel in native memory: a slot of 8 bytes for each, and the array of pointers
 * to the slots that the driver takes. A launch copies them, so one object serves many launches. A
 * value must have the type of the kernel's parameter. Not thread-safe; lives as long as its arena.
 */
public final class KernelArguments {
  private static final long SLOT = 8;

  private final MemorySegment slots;
  private final MemorySegment pointers;

  private KernelArguments(MemorySegment slots, MemorySegment pointers) {
    this.slots = slots;
    this.pointers = pointers;
  }

  /** Allocates {@code count} arguments, all 0. */
  public static KernelArguments allocate(Arena arena, int count) {
    MemorySegment slots = arena.allocate(Math.max(1, count) * SLOT, SLOT);
    MemorySegment pointers = arena.allocate(ADDRESS, Math.max(1, count));
    for (int i = 0; i < count; i++) {
      pointers.setAtIndex(ADDRESS, i, slots.asSlice(i * SLOT, SLOT));
    }
    return new KernelArguments(slots, pointers);
  }

  /** Sets a device address or an integer of 64 bits. */
  public KernelArguments set(int index, long value) {
    slots.set(JAVA_LONG, index * SLOT, value);
    return this;
  }

  /** Sets an integer of 32 bits. */
  public KernelArguments set(int index, int value) {
    slots.set(JAVA_INT, index * SLOT, value);
    return this;
  }

  /** Sets 16 bits: an integer, a half or a bfloat16. */
  public KernelArguments set(int index, short value) {
    slots.set(JAVA_SHORT, index * SLOT, value);
    return this;
  }

  /** Sets an integer of 8 bits. */
  public KernelArguments set(int index, byte value) {
    slots.set(JAVA_BYTE, index * SLOT, value);
    return this;
  }

  /** Sets a float. */
  public KernelArguments set(int index, float value) {
    slots.set(JAVA_FLOAT, index * SLOT, value);
    return this;
  }

  /** Sets a double. */
  public KernelArguments set(int index, double value) {
    slots.set(JAVA_DOUBLE, index * SLOT, value);
    return this;
  }

  /** The array of pointers to the arguments. */
  MemorySegment pointers() {
    return pointers;
  }
}

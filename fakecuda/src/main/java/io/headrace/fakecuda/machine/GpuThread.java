package io.headrace.fakecuda.machine;

import org.jspecify.annotations.Nullable;

/** One thread of a grid while its block runs. */
final class GpuThread {
  final KernelCode code;
  final GpuBlock block;
  final int x;
  final int y;
  final int z;

  /** The number in its block. */
  final int index;

  final Accessor accessor;

  /** Each register's bits, extended with zeros. */
  private final long[] registers;

  private final boolean[] isDefined;

  /** The variables of the local space, and the parameters of the functions that it calls. */
  final byte[] local;

  private final boolean[] localIsDefined;

  int pc;

  /** The operation at which the thread waits for others; null while it runs. */
  @Nullable ThreadBarrier waitsAt;

  /** The lanes that take part in the operation at which the thread waits. */
  int mask;

  /** The value that it brings to that operation. */
  long posted;

  boolean hasExited;

  /** How often the instruction at each place has asked, where that is counted. */
  private int @Nullable [] times;

  private boolean carry;
  private boolean carryIsDefined;

  GpuThread(KernelCode code, GpuBlock block, int index, Accessor accessor) {
    this.code = code;
    this.block = block;
    this.index = index;
    this.accessor = accessor;
    Dimensions size = block.size;
    x = index % size.x();
    y = index / size.x() % size.y();
    z = index / size.x() / size.y();
    registers = new long[code.registers().size()];
    isDefined = new boolean[registers.length];
    local = new byte[code.localBytes()];
    localIsDefined = new boolean[local.length];
  }

  /** The number in its warp. */
  int lane() {
    return index % GpuBlock.WARP;
  }

  /** How often this was asked for an instruction before. */
  int timesAt(int place) {
    int[] counts = times == null ? new int[code.steps().size()] : times;
    times = counts;
    return counts[place]++;
  }

  long register(int number) {
    if (!isDefined[number]) {
      throw new GpuFault(
          GpuFault.Kind.UNINITIALIZED,
          "register " + code.registers().get(number) + " is read before a write");
    }
    return registers[number];
  }

  void setRegister(int number, long bits) {
    registers[number] = bits;
    isDefined[number] = true;
  }

  /** The carry of the last instruction that wrote it: 0 or 1. */
  long carry() {
    if (!carryIsDefined) {
      throw new GpuFault(GpuFault.Kind.UNINITIALIZED, "the carry is read before a write");
    }
    return carry ? 1 : 0;
  }

  void setCarry(boolean value) {
    carry = value;
    carryIsDefined = true;
  }

  long loadLocal(long at, int bytes) {
    checkLocal(at, bytes, "load");
    for (int i = (int) at; i < at + bytes; i++) {
      if (!localIsDefined[i]) {
        throw new GpuFault(
            GpuFault.Kind.UNINITIALIZED, "local byte " + i + " is read before a write");
      }
    }
    return LittleEndian.get(local, (int) at, bytes);
  }

  void storeLocal(long at, int bytes, long value) {
    checkLocal(at, bytes, "store");
    for (int i = (int) at; i < at + bytes; i++) {
      localIsDefined[i] = true;
    }
    LittleEndian.set(local, (int) at, bytes, value);
  }

  private void checkLocal(long at, int bytes, String access) {
    if (at < 0 || at > local.length - bytes) {
      throw new GpuFault(
          GpuFault.Kind.ILLEGAL_ADDRESS,
          "%s of %d bytes at %d of %d bytes of local memory"
              .formatted(access, bytes, at, local.length));
    }
  }
}

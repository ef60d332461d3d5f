package io.headrace.fakecuda.machine;

import java.util.Arrays;

/**
 * The last accesses of each byte of a memory, by which races and uses of undefined bytes are found.
 * A race is found in every schedule in which both accesses take place. Used by one thread.
 */
final class AccessHistory {
  /*
   * For each byte: the operation and the thread that wrote it last, and those that have read it
   * since. Several readers of one operation, or several atomic writers, are kept as the least set
   * of threads that has them all: a warp, a block, the grid. `stamp` is the block's count of
   * barriers at the access (Accessor.now): an access is ordered before those of its block if its
   * stamp is below their last barrier's. Readers of earlier operations that are not ordered before
   * the last reader are in `earlierReads`.
   */
  private static final byte THREAD = 0;
  private static final byte WARP = 1;
  private static final byte BLOCK = 2;
  private static final byte GRID = 3;

  private final AccessOrder order;
  private final ReadSets readSets;
  private final boolean[] written;
  private final boolean[] isAtomic;
  private final int[] writeOperation;
  private final int[] writeThread;
  private final int[] writeStamp;
  private final byte[] writeScope;
  private final int[] readOperation;
  private final int[] readThread;
  private final int[] readStamp;
  private final byte[] readScope;
  private final int[] earlierReads;

  AccessHistory(int bytes, AccessOrder order, ReadSets readSets) {
    this.order = order;
    this.readSets = readSets;
    written = new boolean[bytes];
    isAtomic = new boolean[bytes];
    writeOperation = new int[bytes];
    writeThread = new int[bytes];
    writeStamp = new int[bytes];
    writeScope = new byte[bytes];
    readOperation = new int[bytes];
    readThread = new int[bytes];
    readStamp = new int[bytes];
    readScope = new byte[bytes];
    earlierReads = new int[bytes];
  }

  /** Notes a load of {@code bytes} from {@code at} on. */
  void read(Accessor by, int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      if (!written[i]) {
        throw new GpuFault(GpuFault.Kind.UNINITIALIZED, "byte " + i + " is read before a write");
      }
      checkWrites(by, i, false, "reads");
      noteRead(by, i);
    }
  }

  /** Notes a load that may be served by a cache which stores of the same launch do not reach. */
  void readNonCoherent(Accessor by, int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      if (written[i] && writeOperation[i] == by.operation) {
        throw new GpuFault(
            GpuFault.Kind.RACE, "byte " + i + " is read by ld.global.nc and written in one launch");
      }
    }
    read(by, at, bytes);
  }

  /** Notes a store. */
  void write(Accessor by, int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      checkWrites(by, i, false, "writes");
      checkReads(by, i);
      noteWrite(by, i, false, THREAD);
    }
  }

  /** Notes an atomic load and store. */
  void update(Accessor by, int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      if (!written[i]) {
        throw new GpuFault(GpuFault.Kind.UNINITIALIZED, "byte " + i + " is read before a write");
      }
      checkWrites(by, i, true, "updates");
      checkReads(by, i);
      boolean joins = isAtomic[i] && writeOperation[i] == by.operation && !writesAreOrdered(by, i);
      byte scope = joins ? widened(by, writeThread[i], writeScope[i]) : THREAD;
      noteWrite(by, i, true, scope);
    }
  }

  /** Lets bytes be undefined where those of {@code from} are: what a copy within a device does. */
  void copyDefined(int at, AccessHistory from, int fromAt, int bytes) {
    System.arraycopy(from.written, fromAt, written, at, bytes);
  }

  /** Notes that a copy within the device reads bytes, which may be undefined. */
  void readAsCopy(Accessor by, int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      checkWrites(by, i, false, "reads");
      noteRead(by, i);
    }
  }

  /** Fails unless all earlier accesses are over before {@code operation}: a free. */
  void retire(Accessor by) {
    for (int i = 0; i < written.length; i++) {
      checkWrites(by, i, false, "frees");
      checkReads(by, i);
    }
  }

  /** Marks all bytes as written before the first operation. */
  void defineAll() {
    Arrays.fill(written, true);
  }

  private void checkWrites(Accessor by, int i, boolean atomic, String verb) {
    if (!written[i] || writeOperation[i] == 0) {
      return;
    }
    if (writeOperation[i] != by.operation) {
      if (!order.isBefore(writeOperation[i], by.operation)) {
        throw unordered(by, i, verb, writeOperation[i], "wrote");
      }
    } else if (!(atomic && isAtomic[i]) && !writesAreOrdered(by, i)) {
      throw race(by, i, verb, writeThread[i], isAtomic[i] ? "updated" : "wrote");
    }
  }

  private void checkReads(Accessor by, int i) {
    if (readOperation[i] == 0) {
      return;
    }
    if (readOperation[i] != by.operation) {
      if (!order.isBefore(readOperation[i], by.operation)) {
        throw unordered(by, i, "writes", readOperation[i], "read");
      }
    } else if (!isOrdered(by, readThread[i], readScope[i], readStamp[i])) {
      throw race(by, i, "writes", readThread[i], "read");
    }
    if (!readSets.areBefore(earlierReads[i], by.operation, order)) {
      throw unordered(by, i, "writes", readOperation[i], "read");
    }
  }

  private void noteRead(Accessor by, int i) {
    byte scope = THREAD;
    if (readOperation[i] == by.operation) {
      if (!isOrdered(by, readThread[i], readScope[i], readStamp[i])) {
        scope = widened(by, readThread[i], readScope[i]);
      }
    } else if (readOperation[i] != 0) {
      earlierReads[i] = readSets.with(earlierReads[i], readOperation[i], by.operation, order);
    }
    readOperation[i] = by.operation;
    readThread[i] = by.thread;
    readStamp[i] = by.now;
    readScope[i] = scope;
  }

  private void noteWrite(Accessor by, int i, boolean atomic, byte scope) {
    written[i] = true;
    isAtomic[i] = atomic;
    writeOperation[i] = by.operation;
    writeThread[i] = by.thread;
    writeStamp[i] = by.now;
    writeScope[i] = scope;
    readOperation[i] = 0;
    earlierReads[i] = 0;
  }

  private boolean writesAreOrdered(Accessor by, int i) {
    return isOrdered(by, writeThread[i], writeScope[i], writeStamp[i]);
  }

  /** Whether accesses of {@code scope} around {@code thread} are ordered before those of by. */
  private static boolean isOrdered(Accessor by, int thread, byte scope, int stamp) {
    if (scope == THREAD && thread == by.thread) {
      return true;
    }
    if (scope == GRID || !by.isInBlockOf(thread)) {
      return false;
    }
    return stamp < by.blockBarrier
        || (scope != BLOCK && stamp < by.warpBarrier && by.isInWarpOf(thread));
  }

  /** The least scope that has {@code by} and those of {@code scope} around {@code thread}. */
  private static byte widened(Accessor by, int thread, byte scope) {
    if (scope == THREAD && thread == by.thread) {
      return THREAD;
    }
    if (scope <= WARP && by.isInWarpOf(thread)) {
      return WARP;
    }
    return scope <= BLOCK && by.isInBlockOf(thread) ? BLOCK : GRID;
  }

  private static GpuFault race(Accessor by, int i, String verb, int other, String past) {
    return new GpuFault(
        GpuFault.Kind.RACE,
        "%s %s byte %d, which thread %d of block %d %s with no barrier between"
            .formatted(by.describe(), verb, i, other % by.blockSize, other / by.blockSize, past));
  }

  private static GpuFault unordered(Accessor by, int i, String verb, int other, String past) {
    return new GpuFault(
        GpuFault.Kind.RACE,
        "operation %d %s byte %d, which operation %d %s, and nothing orders them"
            .formatted(by.operation, verb, i, other, past));
  }
}

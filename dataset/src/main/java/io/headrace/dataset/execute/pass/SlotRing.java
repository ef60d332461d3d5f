package io.headrace.dataset.execute.pass;

import java.util.Arrays;

/**
 * A queue of slot numbers with removal at any position: the first slot moves into the gap. Removed
 * slots are reused. Not thread-safe.
 */
public final class SlotRing {
  private int[] ring = new int[16];
  private int[] free = new int[16];
  private long start;
  private long end;
  private int freeCount;
  private int slots;

  /** The number of slots in the queue. */
  public int size() {
    return (int) (end - start);
  }

  /** Appends a free slot and returns it. */
  public int add() {
    if (size() == ring.length) {
      grow();
    }
    int slot = freeCount > 0 ? free[--freeCount] : slots++;
    ring[index(end++)] = slot;
    return slot;
  }

  /** Removes and returns the slot {@code offset} positions behind the first. */
  public int remove(int offset) {
    int slot = ring[index(start + offset)];
    ring[index(start + offset)] = ring[index(start)];
    start++;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount++] = slot;
    return slot;
  }

  private int index(long position) {
    return (int) (position & (ring.length - 1));
  }

  private void grow() {
    int[] larger = new int[2 * ring.length];
    for (long position = start; position < end; position++) {
      larger[(int) (position & (larger.length - 1))] = ring[index(position)];
    }
    ring = larger;
  }
}

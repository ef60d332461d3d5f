package io.headrace.dataset.execute.pass;

/**
 * The bytes that the AUTOTUNE buffers of one pass may hold together. A buffer takes bytes as it
 * grows and returns them as it drains; an empty buffer may always take one chunk. Thread-safe.
 */
public final class BufferBudget {
  private final long limitBytes;
  private long usedBytes;

  /** A budget of {@code limitBytes}, at least 0. */
  public BufferBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** The limit in bytes. */
  public long limitBytes() {
    return limitBytes;
  }

  /** The bytes in use; they exceed the limit by at most one chunk per buffer. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Whether {@code bytes} more stay within the limit. */
  synchronized boolean hasRoomFor(long bytes) {
    return usedBytes + bytes <= limitBytes;
  }

  synchronized void take(long bytes) {
    usedBytes += bytes;
  }

  synchronized void giveBack(long bytes) {
    usedBytes -= bytes;
  }
}

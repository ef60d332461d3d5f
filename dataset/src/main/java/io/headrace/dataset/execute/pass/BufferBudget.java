package io.headrace.dataset.execute.pass;

/**
 * The bytes that the AUTOTUNE buffers of one pass may hold together. A buffer takes bytes before it
 * grows and gives them back as it is emptied; a buffer that is empty may always take one chunk.
 * Thread-safe.
 */
public final class BufferBudget {
  private final long limitBytes;
  private long usedBytes;

  /** A budget of {@code limitBytes} bytes, at least 0. */
  public BufferBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** The bound. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Bytes that are taken; above the bound at most by one chunk a buffer. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Whether {@code bytes} more would stay within the bound. */
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

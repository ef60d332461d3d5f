package io.headrace.dataset.execute.pass;

/**
 * Chooses how many rows to request next, so that no row waits long for its chunk to fill: one at
 * first, doubled while a chunk takes less than half a millisecond, fewer once it takes more than
 * one, and never more than a limit in bytes. Belongs to the driver of an iterator; used by one
 * thread at a time.
 */
public final class ChunkPacer {
  private static final long QUICK_NANOS = 500_000;
  private static final long SLOW_NANOS = 1_000_000;
  private static final int MAX_ROWS = 8192;

  private final long maxBytes;
  private int rows = 1;
  private long bytesPerRow = 1;

  /** A pacer for chunks of at most {@code maxBytes}, unless a single row is larger. */
  public ChunkPacer(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The number of rows to request, at least 1. */
  public int rows() {
    return rows;
  }

  /** The number of rows to request if they shall have {@code bytes} bytes at most; at least 1. */
  public int rowsOf(long bytes) {
    return Math.clamp(bytes / bytesPerRow, 1, rows);
  }

  /** Records that {@code count} rows of {@code bytes} bytes in total took {@code nanos}. */
  public void took(int count, long nanos, long bytes) {
    if (nanos > SLOW_NANOS) {
      rows = Math.max(1, (int) (Math.min(rows, count) * QUICK_NANOS / nanos));
    } else if (nanos < QUICK_NANOS && count >= rows) {
      rows = Math.min(2 * rows, MAX_ROWS);
    }
    bytesPerRow = Math.max(1, bytes / Math.max(1, count));
    rows = rowsOf(maxBytes);
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * What {@code cache} transformations may keep in memory: of a process all of them together, a
 * quarter of the heap unless it is told otherwise. Thread-safe.
 */
public final class CacheBudget {
  /** That of this process. */
  private static final CacheBudget PROCESS = new CacheBudget(Runtime.getRuntime().maxMemory() / 4);

  private long limitBytes;
  private long usedBytes;

  /** A budget of so many bytes. */
  public CacheBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** From now on the caches of this process may hold {@code bytes}; what they hold is kept. */
  public static void setMaxBytes(long bytes) {
    synchronized (PROCESS) {
      PROCESS.limitBytes = bytes;
    }
  }

  private synchronized boolean take(long bytes) {
    if (bytes > limitBytes - usedBytes) {
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  private synchronized void giveBack(long bytes) {
    usedBytes -= bytes;
  }

  public synchronized long usedBytes() {
    return usedBytes;
  }

  private synchronized StatusException exhausted(String where) {
    return StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "the cache has no room: caches hold %d bytes, and may hold %d together"
                + " (--max-cache-bytes); cache less, or give the process more memory",
            usedBytes,
            limitBytes)
        .in(where);
  }

  /** The part of this process's budget that is held by whatever has {@code resources}. */
  public static Share shareOf(Resources resources) {
    return resources.lookupOrCreate("", "cache-budget", Share.class, PROCESS::share);
  }

  public Share share() {
    return new Share(this);
  }

  /**
   * What the passes of one task have taken of a budget: given back when the task's resources are
   * closed, since its caches are gone with it. Thread-safe.
   */
  public static final class Share implements AutoCloseable {
    private final CacheBudget budget;
    private long bytes;
    private boolean closed;

    private Share(CacheBudget budget) {
      this.budget = budget;
    }

    /**
     * Takes {@code more} bytes.
     *
     * @param where the node that keeps them
     * @throws StatusException RESOURCE_EXHAUSTED, naming the node, if there are not so many;
     *     CANCELLED after the end
     */
    public synchronized void take(long more, String where) {
      if (closed) {
        throw new StatusException(StatusCode.CANCELLED, "the task has ended");
      }
      if (!budget.take(more)) {
        throw budget.exhausted(where);
      }
      bytes += more;
    }

    public synchronized void giveBack(long less) {
      if (!closed) {
        bytes -= less;
        budget.giveBack(less);
      }
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        budget.giveBack(bytes);
      }
    }
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * The memory that {@code cache} transformations and cross-trainer caches may use: one budget for
 * all of a process, a quarter of the heap by default. Thread-safe.
 */
public final class CacheBudget {
  /** The budget of this process. */
  private static final CacheBudget PROCESS = new CacheBudget(Runtime.getRuntime().maxMemory() / 4);

  private long limitBytes;
  private long usedBytes;

  /** A budget of {@code limitBytes}. */
  public CacheBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Changes the limit of this process; cached rows above a lower limit are kept. */
  public static void setMaxBytes(long bytes) {
    synchronized (PROCESS) {
      PROCESS.limitBytes = bytes;
    }
  }

  /** The budget of this process. */
  public static CacheBudget ofProcess() {
    return PROCESS;
  }

  public synchronized long limitBytes() {
    return limitBytes;
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

  /**
   * The share of the process's budget that belongs to the task whose resources are {@code
   * resources}.
   */
  public static Share shareOf(Resources resources) {
    return resources.lookupOrCreate("", "cache-budget", Share.class, PROCESS::share);
  }

  public Share share() {
    return new Share(this);
  }

  /**
   * The bytes that the passes of one task hold of a budget. Closed with the task's resources, it
   * returns them all, since the task's caches are gone. Thread-safe.
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
     * @param where the caching node, for the message
     * @throws StatusException RESOURCE_EXHAUSTED, naming the node, if the budget is exhausted;
     *     CANCELLED once the share is closed
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

    /** Takes {@code more} bytes if the budget has them, and the share is not closed. */
    public synchronized boolean takeIfFree(long more) {
      if (closed || !budget.take(more)) {
        return false;
      }
      bytes += more;
      return true;
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

package io.headrace.worker;

import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of a worker's cross-trainer caches: each may hold what the worker's configuration
 * says, and all together half of the process's {@link CacheBudget}, in equal parts. All that they
 * hold counts against that budget. Thread-safe.
 */
final class CacheRoom {
  /*
   * A new cache makes the others smaller: the limit drops first, and then each of them gives up
   * what it holds beyond the new one, outside of this lock and under its own.
   */

  private final long maxBytes;
  private final CacheBudget budget;
  private final List<Part> parts = new ArrayList<>();

  /**
   * A worker's room.
   *
   * @param maxBytes the most that one cache may hold
   * @param budget the budget of the process
   */
  CacheRoom(long maxBytes, CacheBudget budget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
  }

  /**
   * Opens the part of a new cache.
   *
   * @param onLess called when the part's limit has dropped; must give back what is beyond it
   */
  Part open(Runnable onLess) {
    Part opened = new Part(onLess);
    List<Part> others;
    synchronized (this) {
      others = List.copyOf(parts);
      parts.add(opened);
    }
    others.forEach(part -> part.onLess.run());
    return opened;
  }

  private synchronized long limitBytes() {
    return Math.min(maxBytes, budget.limitBytes() / 2 / Math.max(1, parts.size()));
  }

  private synchronized void remove(Part part) {
    parts.remove(part);
  }

  /** The part of one cache. Thread-safe. */
  final class Part implements AutoCloseable {
    private final Runnable onLess;
    private final CacheBudget.Share share = budget.share();

    private Part(Runnable onLess) {
      this.onLess = onLess;
    }

    /** The most that the cache may hold now. */
    long limitBytes() {
      return CacheRoom.this.limitBytes();
    }

    /** Takes {@code bytes} of the process's budget if it has them. */
    boolean take(long bytes) {
      return share.takeIfFree(bytes);
    }

    void giveBack(long bytes) {
      share.giveBack(bytes);
    }

    /** The failure of a cache that holds nothing, and for which nothing is free. */
    StatusException exhausted(long bytes) {
      return StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "the cross-trainer cache has no room for an element of %d bytes: caches hold %d bytes,"
              + " and may hold %d together (--max-cache-bytes)",
          bytes,
          budget.usedBytes(),
          budget.limitBytes());
    }

    /** Gives everything back. Idempotent. */
    @Override
    public void close() {
      remove(this);
      share.close();
    }
  }
}

package io.headrace.gpu.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.OperatingSystemMXBean;
import io.headrace.runtime.time.Ticker;
import java.lang.management.ManagementFactory;

/**
 * How much pinned memory the results of a device may take on the host, those of its lost contexts
 * included. When more than half of that is in use, the garbage collector is asked to find what is
 * so in name only. Thread-safe.
 */
final class PinnedBudget {
  /** The part of the host's memory that the devices of a process may take together. */
  private static final int PART = 16;

  private static final long MOST_BYTES = 8L << 30;

  private final long limit;
  private final BackgroundCollector collector;
  private final Ticker ticker;

  @GuardedBy("this")
  private long taken;

  @GuardedBy("this")
  private long lent;

  /**
   * A budget.
   *
   * @param limit in bytes
   * @param ticker measures how long blocks are idle
   */
  PinnedBudget(long limit, BackgroundCollector collector, Ticker ticker) {
    this.limit = limit;
    this.collector = collector;
    this.ticker = ticker;
  }

  /** A share of this host's memory for each of {@code devices}. */
  static PinnedBudget ofHost(int devices, Ticker ticker) {
    long memory =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : Runtime.getRuntime().maxMemory();
    long share = memory / PART / Math.max(1, devices);
    return new PinnedBudget(Math.min(MOST_BYTES, share), BackgroundCollector.JVM, ticker);
  }

  /** The collector that is asked. */
  BackgroundCollector collector() {
    return collector;
  }

  /** The time by which blocks age. */
  long nanoTime() {
    return ticker.nanoTime();
  }

  /** Takes {@code bytes} for a new block; false if that is more than is left. */
  synchronized boolean take(long bytes) {
    if (bytes > limit - taken) {
      return false;
    }
    taken += bytes;
    return true;
  }

  /** A block was freed, or never made. */
  synchronized void give(long bytes) {
    taken -= bytes;
  }

  /** A block is in use from now on. */
  synchronized void lend(long bytes) {
    lent += bytes;
  }

  /** A block is in use no longer. */
  synchronized void takeBack(long bytes) {
    lent -= bytes;
  }

  /** Asks the collector if more than half of the limit is in use; returns at once. */
  void hasten() {
    if (isShort()) {
      collector.ask(this::isShort);
    }
  }

  private synchronized boolean isShort() {
    return lent > limit / 2;
  }

  /** The bytes of all blocks. */
  synchronized long taken() {
    return taken;
  }

  /** The bytes of those in use. */
  synchronized long lent() {
    return lent;
  }
}

package io.headrace.cli;

import com.sun.management.ThreadMXBean;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Returns memory to the system after a peak. The JVM collects garbage when its heap is full, so a
 * server that became idle would keep the heap of its busiest time for good. Once the process
 * allocates little, this collects garbage, and the G1 collector, which the {@code headrace} command
 * chooses, shrinks the heap to little more than what is live; collections take at most a fiftieth
 * of the time. Not thread-safe.
 */
final class HeapRelease {
  /** Not worth a collection: heaps of this size, in bytes. */
  static final long KEPT_BYTES = 256L << 20;

  /** A process is idle if it allocates less than this between two checks, in bytes. */
  static final long IDLE_BYTES = 8L << 20;

  /** The bytes allocated since the last collection that are worth another. */
  static final long WORTHWHILE_BYTES = 32L << 20;

  private static final long CHECK_SECONDS = 10;

  /** The largest share of the time that collections take, as a divisor. */
  private static final long TIME_DIVISOR = 50;

  /** The memory of a JVM. */
  interface Memory {
    /** Bytes that all threads have allocated since the start. */
    long allocatedBytes();

    /** Bytes of heap that the JVM has from the system. */
    long committedBytes();

    /** Collects garbage; blocks until that is done. */
    void collect();
  }

  private static final class JvmMemory implements Memory {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Override
    public long allocatedBytes() {
      return threads.getTotalThreadAllocatedBytes();
    }

    @Override
    public long committedBytes() {
      return Runtime.getRuntime().totalMemory();
    }

    @Override
    @SuppressWarnings("SystemGc") // the only way to make the heap smaller
    public void collect() {
      System.gc();
    }
  }

  private final Memory memory;
  private final LongSupplier dropped;
  private final Ticker ticker;
  private long allocatedAtCheck;
  private long droppedAtCheck;
  private long allocatedAtCollection;
  private long droppedAtCollection;
  private long notBeforeNanos;

  /**
   * The release of a JVM's memory.
   *
   * @param dropped grows whenever the server drops what takes memory, such as a task
   * @param ticker measures time
   */
  HeapRelease(Memory memory, LongSupplier dropped, Ticker ticker) {
    this.memory = memory;
    this.dropped = dropped;
    this.ticker = ticker;
    this.notBeforeNanos = ticker.nanoTime();
  }

  /** Starts to check this process every ten seconds, for as long as it runs. */
  static void start(LongSupplier dropped) {
    HeapRelease release = new HeapRelease(new JvmMemory(), dropped, SystemTicker.INSTANCE);
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("heap-release").factory());
    var _ =
        timer.scheduleWithFixedDelay(
            release::check, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
  }

  /** Collects garbage if the process has become idle and there may be memory to return. */
  void check() {
    long allocated = memory.allocatedBytes();
    long drops = dropped.getAsLong();
    if (isIdle(allocated) && mayRelease(allocated, drops)) {
      allocatedAtCollection = allocated;
      // Threads that wind up may still use what was dropped since the last check.
      droppedAtCollection = droppedAtCheck;
      long began = ticker.nanoTime();
      memory.collect();
      long ended = ticker.nanoTime();
      notBeforeNanos = ended + (ended - began) * TIME_DIVISOR;
    }
    allocatedAtCheck = allocated;
    droppedAtCheck = drops;
  }

  private boolean isIdle(long allocated) {
    return allocated - allocatedAtCheck < IDLE_BYTES;
  }

  private boolean mayRelease(long allocated, long drops) {
    boolean changed =
        allocated - allocatedAtCollection >= WORTHWHILE_BYTES || drops != droppedAtCollection;
    return changed
        && memory.committedBytes() > KEPT_BYTES
        && ticker.nanoTime() - notBeforeNanos >= 0;
  }
}

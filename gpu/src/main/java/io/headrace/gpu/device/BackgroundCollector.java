package io.headrace.gpu.device;

import io.headrace.runtime.time.SystemTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Asks the JVM to collect garbage, on a thread of its own, for memory that objects hold outside the
 * heap: a heap with room would let it wait. One collection runs at a time, and then none for as
 * long again; where collections do not help, for many times as long, and longer each time.
 * Thread-safe.
 */
final class BackgroundCollector {
  /** The one of this JVM. */
  static final BackgroundCollector JVM = new BackgroundCollector(System::gc);

  /** How long it may take until the memory that a collection has found is free. */
  private static final long SETTLE_NANOS = Duration.ofMillis(10).toNanos();

  private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /** Collections that do not help take at most one part in so many of the time. */
  private static final int PAUSE_PER_COLLECTION = 20;

  private final Runnable collection;
  private final AtomicBoolean isRunning = new AtomicBoolean();

  /** The pause behind the next collection that does not help; for the thread that runs. */
  private volatile long pauseNanos = SHORTEST_PAUSE_NANOS;

  /** A collector that {@code collection} stands for. */
  BackgroundCollector(Runnable collection) {
    this.collection = collection;
  }

  /**
   * Asks for a collection, unless one is running or was a moment ago; returns at once.
   *
   * @param isShort whether memory is still short, which is asked when the collection is over
   */
  void ask(BooleanSupplier isShort) {
    if (isRunning.compareAndSet(false, true)) {
      var _ = Thread.ofPlatform().daemon().name("gpu-collector").start(() -> collect(isShort));
    }
  }

  private void collect(BooleanSupplier isShort) {
    try {
      long start = SystemTicker.INSTANCE.nanoTime();
      collection.run();
      long took = SystemTicker.INSTANCE.nanoTime() - start;
      Thread.sleep(Duration.ofNanos(SETTLE_NANOS));
      if (isShort.getAsBoolean()) {
        Thread.sleep(Duration.ofNanos(Math.max(pauseNanos, PAUSE_PER_COLLECTION * took)));
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
      } else {
        Thread.sleep(Duration.ofNanos(took));
        pauseNanos = SHORTEST_PAUSE_NANOS;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isRunning.set(false);
    }
  }
}

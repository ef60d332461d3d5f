package io.headrace.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.dataset.execute.pass.StageClock;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Advances the clock of a worker's stages while passes run, and rests otherwise. Thread-safe; the
 * creator closes it.
 */
final class StageTimer implements AutoCloseable {
  /**
   * No divisor of the periods in which pipelines sleep, so that the clock does not fall in step.
   */
  static final Duration PERIOD = Duration.ofMillis(7);

  private final StageClock clock;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("worker-stage-clock").factory());

  @GuardedBy("this")
  private int passes;

  @GuardedBy("this")
  private @Nullable ScheduledFuture<?> ticking;

  StageTimer(Ticker ticker) {
    clock = new StageClock(ticker);
    timer.setRemoveOnCancelPolicy(true);
  }

  StageClock clock() {
    return clock;
  }

  /** A pass begins to run. */
  synchronized void begin() {
    clock.advance();
    passes++;
    if (ticking == null && !timer.isShutdown()) {
      ticking =
          timer.scheduleWithFixedDelay(
              clock::advance, PERIOD.toNanos(), PERIOD.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** A pass that began has ended. */
  synchronized void end() {
    passes--;
    ScheduledFuture<?> running = ticking;
    if (passes == 0 && running != null) {
      running.cancel(false);
      ticking = null;
    }
  }

  /** Runs {@code action}, which must not block, after a time; never if the timer is closed. */
  synchronized void after(Duration time, Runnable action) {
    if (!timer.isShutdown()) {
      var _ = timer.schedule(action, time.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public synchronized void close() {
    timer.shutdownNow();
  }
}

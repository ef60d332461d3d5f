package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Runs periodic tasks. An interface, so that tests control the time. */
interface Timer extends AutoCloseable {
  /** Runs {@code task} now, and then at each {@code period} until closed. */
  void every(Duration period, Runnable task);

  @Override
  void close();

  /** A timer on a daemon thread. */
  static Timer onThread(String name) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    return new Timer() {
      @Override
      public void every(Duration period, Runnable task) {
        var _ = thread.scheduleWithFixedDelay(task, 0, period.toNanos(), NANOSECONDS);
      }

      @Override
      public void close() {
        thread.shutdownNow();
      }
    };
  }
}

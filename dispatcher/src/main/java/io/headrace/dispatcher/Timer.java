package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Runs periodic tasks. An interface, so that tests control the time. */
interface Timer extends AutoCloseable {
  /**
   * Runs {@code task} now, and then at each {@code period} until closed, also after it has thrown.
   */
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
        var _ = thread.scheduleWithFixedDelay(() -> run(task), 0, period.toNanos(), NANOSECONDS);
      }

      // Logs the failure of a run; the executor would never run the task again.
      private void run(Runnable task) {
        try {
          task.run();
        } catch (RuntimeException | Error e) {
          System.getLogger(Timer.class.getName())
              .log(Level.ERROR, "a periodic check failed; it is tried again", e);
        }
      }

      @Override
      public void close() {
        thread.shutdownNow();
      }
    };
  }
}

package io.headrace.worker;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A thread that reports to the dispatcher when there is something to report, and collects what
 * comes up meanwhile for a period. Thread-safe.
 */
final class ReportLoop implements AutoCloseable {
  private static final Duration IDLE = Duration.ofHours(1);

  private final String name;
  private final Duration period;
  private final BooleanSupplier report;
  private final InterruptibleWait idle = new InterruptibleWait();
  private final InterruptibleWait pause = new InterruptibleWait();

  /**
   * A loop that is not started.
   *
   * @param name the name of its thread
   * @param period the pause between two reports
   * @param report reports what is due; false if it need not be called again before a wake
   */
  ReportLoop(String name, Duration period, BooleanSupplier report) {
    this.name = name;
    this.period = period;
    this.report = report;
  }

  void start() {
    Thread.ofPlatform().daemon().name(name).start(this::run);
  }

  private void run() {
    while (idle.await(IDLE)) {
      while (report.getAsBoolean()) {
        if (!pause.await(period)) {
          return;
        }
      }
    }
  }

  /** Reports soon. Does not block. */
  void wake() {
    idle.poke();
  }

  /** Waits on the loop's thread; false once the loop is closed. */
  boolean await(Duration time) {
    var _ = pause.await(time);
    return !pause.hasEnded();
  }

  /** Ends the loop and its waits, without waiting for its thread. */
  @Override
  public void close() {
    idle.end();
    pause.end();
  }
}

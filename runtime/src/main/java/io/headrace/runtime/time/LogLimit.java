package io.headrace.runtime.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Limits the log lines, at level info, of events that peers cause: at most {@link #MAX_LINES} in a
 * {@link #PERIOD}. The next line behind them says how many were left out. It does not log the lines
 * itself, since logging frameworks name the class that logs as the source. Thread-safe.
 */
public final class LogLimit {
  /** The most lines in a period. */
  public static final int MAX_LINES = 200;

  /** The length of a period. */
  public static final Duration PERIOD = Duration.ofSeconds(10);

  private final Logger logger;
  private final Ticker ticker;

  @GuardedBy("this")
  private long periodNanos;

  @GuardedBy("this")
  private int lines;

  @GuardedBy("this")
  private long omitted;

  /**
   * A limit that no line has counted for yet.
   *
   * @param logger is told how many lines were left out
   * @param ticker measures the periods
   */
  public LogLimit(Logger logger, Ticker ticker) {
    this.logger = logger;
    this.ticker = ticker;
    periodNanos = ticker.nanoTime();
  }

  /** Counts a line, and returns whether it may be logged: the period may have had its lines. */
  public boolean admits() {
    long before;
    synchronized (this) {
      long now = ticker.nanoTime();
      if (now - periodNanos >= PERIOD.toNanos()) {
        periodNanos = now;
        lines = 0;
      }
      if (lines >= MAX_LINES) {
        omitted++;
        return false;
      }
      lines++;
      before = omitted;
      omitted = 0;
    }
    if (before > 0) {
      logger.log(Level.INFO, "{0} events were not logged, as there were too many", before);
    }
    return true;
  }
}

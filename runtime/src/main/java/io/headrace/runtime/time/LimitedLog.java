package io.headrace.runtime.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Log lines, at level info, of events that peers cause: at most {@link #MAX_LINES} in a {@link
 * #PERIOD}. The next line behind them says how many were left out. Thread-safe.
 */
public final class LimitedLog {
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
   * A log without lines.
   *
   * @param logger takes the lines
   * @param ticker measures the periods
   */
  public LimitedLog(Logger logger, Ticker ticker) {
    this.logger = logger;
    this.ticker = ticker;
    periodNanos = ticker.nanoTime();
  }

  /** Logs a line, unless the period has had its lines. */
  public void tell(Supplier<String> line) {
    long before;
    synchronized (this) {
      long now = ticker.nanoTime();
      if (now - periodNanos >= PERIOD.toNanos()) {
        periodNanos = now;
        lines = 0;
      }
      if (lines >= MAX_LINES) {
        omitted++;
        return;
      }
      lines++;
      before = omitted;
      omitted = 0;
    }
    if (before > 0) {
      logger.log(Level.INFO, "{0} events were not logged, as there were too many", before);
    }
    logger.log(Level.INFO, line);
  }
}

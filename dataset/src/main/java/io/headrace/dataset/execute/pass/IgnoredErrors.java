package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The elements that failed in one pass and that ignore_errors left out: their number, and warnings
 * of them where the dataset asks for these. The first {@link #FIRST} have a line each; the others
 * are summed up, at most once in a {@link #PERIOD}. Thread-safe.
 */
public final class IgnoredErrors {
  /** How many elements have a line of their own. */
  static final int FIRST = 10;

  /** The shortest time between sums. */
  static final Duration PERIOD = Duration.ofSeconds(10);

  private static final Logger LOGGER = System.getLogger(IgnoredErrors.class.getName());

  @GuardedBy("this")
  private long count;

  @GuardedBy("this")
  private int lines;

  /** The elements that no line tells of yet, since when, and the error of the last one. */
  @GuardedBy("this")
  private long untold;

  @GuardedBy("this")
  private long untoldSinceNanos;

  @GuardedBy("this")
  private @Nullable StatusException lastUntold;

  /** None yet. */
  public IgnoredErrors() {}

  /**
   * Counts an element that is left out.
   *
   * @param error its error
   * @param logs whether the log is to tell of it
   * @param ticker the clock of the pass
   */
  public synchronized void add(StatusException error, boolean logs, Ticker ticker) {
    count++;
    if (!logs) {
      return;
    }
    if (lines < FIRST) {
      lines++;
      LOGGER.log(Level.WARNING, () -> "an element is left out: " + error.message());
      untoldSinceNanos = ticker.nanoTime();
      return;
    }
    untold++;
    lastUntold = error;
    if (ticker.nanoTime() - untoldSinceNanos >= PERIOD.toNanos()) {
      tell(ticker);
    }
  }

  /** Tells the log of the elements that it has not been told of: the pass has ended. Idempotent. */
  public synchronized void end(Ticker ticker) {
    if (untold > 0) {
      tell(ticker);
    }
  }

  @GuardedBy("this")
  private void tell(Ticker ticker) {
    long now = ticker.nanoTime();
    long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(now - untoldSinceNanos));
    String last = lastUntold == null ? "" : lastUntold.message();
    LOGGER.log(
        Level.WARNING,
        "%d more elements were left out in the last %d s, %d in all; the last one: %s"
            .formatted(untold, seconds, count, last));
    untold = 0;
    untoldSinceNanos = now;
  }

  /** How many elements were left out, logged or not. */
  public synchronized long count() {
    return count;
  }
}

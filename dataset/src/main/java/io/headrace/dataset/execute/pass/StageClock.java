package io.headrace.dataset.execute.pass;

import io.headrace.runtime.time.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The clock by which the stages of passes measure where their time goes. A stage reads it at the
 * beginning and at the end of each call, however short the call is, so a reading is the load of a
 * field: the clock stands still until its owner calls {@link #advance}, every few milliseconds. A
 * shorter call counts with the probability that the clock advances meanwhile, so sums come out
 * right, as those of a sampling profiler do. Thread-safe.
 */
public final class StageClock {
  private static final VarHandle NANOS;

  static {
    try {
      NANOS = MethodHandles.lookup().findVarHandle(StageClock.class, "nanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Ticker ticker;

  @SuppressWarnings("UnusedVariable") // by NANOS
  private long nanos;

  /** A clock that stands at the present time of {@code ticker}. */
  public StageClock(Ticker ticker) {
    this.ticker = ticker;
    advance();
  }

  /** Reads the ticker. */
  public void advance() {
    NANOS.setOpaque(this, ticker.nanoTime());
  }

  /** The ticker's time now, for whoever needs it exactly. */
  long exactNanos() {
    return ticker.nanoTime();
  }

  /** The ticker's time at the last {@link #advance}. */
  public long nanos() {
    return (long) NANOS.getOpaque(this);
  }
}

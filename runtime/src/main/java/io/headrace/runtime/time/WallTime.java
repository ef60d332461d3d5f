package io.headrace.runtime.time;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * The readings of a ticker as moments of the wall clock, for those that processes compare. Both
 * clocks are read once, so the moments keep the distances of the ticker; they are as far from those
 * of other machines as the wall clocks are. Immutable.
 */
public final class WallTime {
  private final long tickerNanos;
  private final Instant wall;

  /** The moments of {@code ticker}, by {@code clock}'s present time. */
  public WallTime(Ticker ticker, InstantSource clock) {
    tickerNanos = ticker.nanoTime();
    wall = clock.instant();
  }

  /** The microseconds since 1970 at which the ticker read {@code nanos}. */
  public long micros(long nanos) {
    Instant at = wall.plusNanos(nanos - tickerNanos);
    return TimeUnit.SECONDS.toMicros(at.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(at.getNano());
  }
}

package io.headrace.runtime.time;

import java.time.Instant;
import java.time.InstantSource;

/** The system's clock: the one class that reads it. */
public enum SystemTicker implements Ticker, InstantSource {
  /** The only one. */
  INSTANCE;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant instant() {
    return Instant.now();
  }
}

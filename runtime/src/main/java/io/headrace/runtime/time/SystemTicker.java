package io.headrace.runtime.time;

import java.time.Instant;
import java.time.InstantSource;

/** The system clock; no other class reads it. */
public enum SystemTicker implements Ticker, InstantSource {
  /** The instance. */
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

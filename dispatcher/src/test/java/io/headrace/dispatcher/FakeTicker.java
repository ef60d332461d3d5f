package io.headrace.dispatcher;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;

/** Time that goes by when it is told to. */
final class FakeTicker implements Ticker {
  private long nanos = Long.MAX_VALUE - 1;

  @Override
  public long nanoTime() {
    return nanos;
  }

  void advance(Duration duration) {
    nanos += duration.toNanos();
  }
}

package io.headrace.worker;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A ticker that the test advances. */
final class FakeTicker implements Ticker {
  private final AtomicLong nanos = new AtomicLong();

  void advance(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }

  @Override
  public long nanoTime() {
    return nanos.get();
  }
}

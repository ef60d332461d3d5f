package io.headrace.worker;

import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes when a test says so. */
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

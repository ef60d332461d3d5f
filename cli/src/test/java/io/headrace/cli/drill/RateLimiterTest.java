package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RateLimiterTest {
  private static final long MILLISECOND = 1_000_000;

  @Test
  void await_sleepsForTheInterval() throws InterruptedException {
    long before = System.nanoTime();
    RateLimiter pace = new RateLimiter(System::nanoTime, 2 * MILLISECOND);
    for (int i = 0; i < 50; i++) {
      pace.await();
    }

    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(94 * MILLISECOND);
  }

  @Test
  void await_afterADelay_doesNotCatchUp() throws InterruptedException {
    AtomicLong now = new AtomicLong();
    RateLimiter pace = new RateLimiter(now::get, 4 * MILLISECOND);
    now.addAndGet(1000 * MILLISECOND);
    long before = System.nanoTime();
    pace.await();
    pace.await();

    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(8 * MILLISECOND);
  }
}

package io.headrace.dispatcher;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TimerTest {
  @Test
  void taskThatThrows_runsAgain() throws InterruptedException {
    CountDownLatch runs = new CountDownLatch(3);
    try (Timer timer = Timer.onThread("timer-of-a-test")) {
      timer.every(
          Duration.ofMillis(1),
          () -> {
            runs.countDown();
            throw new OutOfMemoryError("of a test");
          });

      runs.await();
    }
  }
}

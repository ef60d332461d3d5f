package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker with a small cache budget, as its readers see it. */
@Timeout(value = 5, unit = MINUTES)
final class CacheBytesTest {
  private static final int BUDGET = 1_000_000;

  /** The size of the batches below: 1,000 longs. */
  private static final int BATCH_BYTES = 8_000;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private HeadraceProcess worker;

  @BeforeEach
  void start() throws IOException {
    worker =
        HeadraceProcess.start(
            "worker",
            "--dispatcher-address=" + dispatcher.address(),
            "--max-cache-bytes=" + BUDGET);
    worker.awaitReady();
  }

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  /** A dataset of {@code bytes} bytes, cached and read twice. */
  private ElementIterator cached(int bytes) {
    return Dataset.range(bytes / 8)
        .batch(BATCH_BYTES / 8)
        .cache()
        .repeat(2)
        .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()))
        .iterator();
  }

  private static long readToTheEnd(ElementIterator elements) {
    long bytes = 0;
    try (elements) {
      while (elements.hasNext()) {
        bytes += 8L * elements.next().tensor().elements();
      }
    }
    return bytes;
  }

  private static void assertExhausted(StatusException failure) {
    assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(failure)
        .hasMessageContaining("CacheDataset")
        .hasMessageContaining("may hold " + BUDGET + " together (--max-cache-bytes)");
  }

  @Test
  void tooMuch_isExhausted_otherJobsGoOn_andWhatWasHeldCanBeUsedAgain() {
    int half = BUDGET / 2 / BATCH_BYTES * BATCH_BYTES;
    try (ElementIterator other = cached(half)) {
      assertThat(other.next().tensor().integer(0)).isZero();

      assertThatThrownBy(() -> readToTheEnd(cached(2 * BUDGET)))
          .isInstanceOfSatisfying(StatusException.class, CacheBytesTest::assertExhausted);

      assertThat(readToTheEnd(other)).isEqualTo(2L * half - BATCH_BYTES);
    }
    // Each takes most of the budget, which the worker frees soon after the previous one's end.
    for (int i = 0; i < 3; i++) {
      assertThat(readWhenThereIsRoom(BUDGET - BUDGET / 10)).isGreaterThan(BUDGET);
    }
  }

  private long readWhenThereIsRoom(int bytes) {
    while (true) {
      try {
        return readToTheEnd(cached(bytes));
      } catch (StatusException e) {
        assertExhausted(e);
      }
    }
  }
}

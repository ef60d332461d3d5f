package io.headrace.kernels.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bound on the classes that are counted, and the cancellation of calls. */
final class LearnedUnigramsTest {
  private static final int RANGE = 1 << 16;

  private final LearnedUnigrams sampler = new LearnedUnigrams(RANGE);

  private void sample(int count, boolean unique, Cancellation stop) {
    Tensor classes = Tensor.vector(new long[] {1});
    sampler.samples(
        new PhiloxStream(Philox.ofSeedAttrs(1, 2, () -> 3)), count, unique, classes, stop);
  }

  @Test
  void rangeWhoseCountsDoNotFitAnInt_isRefused() {
    assertThatThrownBy(() -> new LearnedUnigrams(Integer.MAX_VALUE))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cancelledCall_ends(boolean unique) {
    Cancellation stop = new Cancellation();
    stop.cancel();

    assertThatThrownBy(() -> sample(5, unique, stop))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.CANCELLED));
  }

  @Test
  @Timeout(60)
  void callThatWaitsForAnother_endsWhenItIsCancelled()
      throws ExecutionException, InterruptedException, TimeoutException {
    Cancellation longStop = new Cancellation();
    Cancellation stop = new Cancellation();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      CompletableFuture<?> busy =
          CompletableFuture.runAsync(() -> sampleUntilCancelled(RANGE, longStop), threads);
      CompletableFuture<Thread> started = new CompletableFuture<>();
      CompletableFuture<?> waiting =
          CompletableFuture.runAsync(
              () -> {
                started.complete(Thread.currentThread());
                sampleUntilCancelled(1, stop);
              },
              threads);
      try {
        Thread thread = started.get();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
          Thread.onSpinWait();
        }
        stop.cancel();

        assertThat(waiting.handle((_, e) -> e).get(30, TimeUnit.SECONDS))
            .hasRootCauseInstanceOf(StatusException.class);
        assertThat(busy).isNotDone();
      } finally {
        longStop.cancel();
        stop.cancel();
      }
    }
  }

  private void sampleUntilCancelled(int count, Cancellation stop) {
    while (true) {
      sample(count, true, stop);
    }
  }
}

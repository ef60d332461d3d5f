package io.headrace.gpu.kernels;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Runs what calls the driver, which ties a device to a thread of the system, for virtual threads.
 * Each of these waits for its one call, so no more calls wait here than there are callers. A call
 * must not wait for another one here. Thread-safe.
 */
final class PlatformThreads {
  private static final int THREADS = 4;

  private static final Executor EXECUTOR =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().name("gpu-", 0).factory());

  private PlatformThreads() {}

  /** The result of {@code work}, which runs on this thread unless that is a virtual one. */
  static <T> T call(Supplier<T> work) {
    if (!Thread.currentThread().isVirtual()) {
      return work.get();
    }
    try {
      return CompletableFuture.supplyAsync(work, EXECUTOR).join();
    } catch (CancellationException e) {
      throw new StatusException(StatusCode.CANCELLED, "the operation was cancelled", e);
    } catch (CompletionException e) {
      throw switch (e.getCause()) {
        case StatusException failure ->
            new StatusException(failure.code(), failure.message(), failure);
        case RuntimeException failure -> failure;
        case Error error -> throw error;
        case null, default -> e;
      };
    }
  }
}

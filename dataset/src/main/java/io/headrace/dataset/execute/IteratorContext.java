package io.headrace.dataset.execute;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.time.Ticker;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;

/**
 * What surrounds one pass over a dataset.
 *
 * @param step device, resources and cancellation of the functions that run in it
 * @param ticker measures how long rows take
 * @param random seeds what the pipeline leaves unseeded; used by one thread at a time
 * @param threads runs the work of parallel and prefetching transformations; its tasks may block
 * @param parallelism how many rows AUTOTUNE may have in the making at once, at least 1
 * @param buffers what AUTOTUNE buffers of this pass may hold together
 * @param deterministic whether transformations that do not say themselves keep their order
 * @param functions the instances of stateful functions
 */
public record IteratorContext(
    StepContext step,
    Ticker ticker,
    RandomGenerator random,
    ExecutorService threads,
    int parallelism,
    BufferBudget buffers,
    boolean deterministic,
    PassFunctions functions) {
  /**
   * The context of a new pass, whose AUTOTUNE buffers may hold {@code bufferBytes} bytes, and that
   * keeps orders.
   */
  public IteratorContext(
      StepContext step,
      Ticker ticker,
      RandomGenerator random,
      ExecutorService threads,
      int parallelism,
      long bufferBytes) {
    this(
        step,
        ticker,
        random,
        threads,
        parallelism,
        new BufferBudget(bufferBytes),
        true,
        new PassFunctions());
  }

  /** Bound on the bytes that AUTOTUNE buffers of this pass may hold together. */
  public long bufferBytes() {
    return buffers.limitBytes();
  }

  /**
   * This context with another cancellation, and a source of seeds of its own: for other threads.
   */
  IteratorContext inBackground(Cancellation cancellation) {
    return with(
        step.withCancellation(cancellation),
        new SplittableRandom(random.nextLong()),
        deterministic);
  }

  /** This context with or without kept orders. */
  IteratorContext withDeterministic(boolean keepsOrder) {
    return with(step, random, keepsOrder);
  }

  private IteratorContext with(StepContext s, RandomGenerator r, boolean d) {
    return new IteratorContext(s, ticker, r, threads, parallelism, buffers, d, functions);
  }
}

package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.time.SystemTicker;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The context of a pass that an op runs inside a function. */
public final class NestedPassContext {
  private static final long BUFFER_BYTES = 16 << 20;

  /** Virtual threads, which end with their tasks and do not keep the process alive. */
  private static final ExecutorService THREADS =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("nested-pass-", 0).factory());

  private NestedPassContext() {}

  public static IteratorContext context(StepContext step) {
    return new IteratorContext(
        step, SystemTicker.INSTANCE, new SplittableRandom(), THREADS, 1, BUFFER_BYTES);
  }
}

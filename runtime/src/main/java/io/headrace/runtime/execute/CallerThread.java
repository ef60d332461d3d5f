package io.headrace.runtime.execute;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs tasks on the one thread that waits for their outcome. Any thread may submit tasks. */
final class CallerThread implements Executor {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Runs tasks until {@code done} is complete. An interrupt is kept for the caller. */
  void runUntil(CompletableFuture<?> done) {
    var _ = done.whenComplete((_, _) -> tasks.add(() -> {}));
    boolean interrupted = false;
    while (!done.isDone()) {
      try {
        tasks.take().run();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

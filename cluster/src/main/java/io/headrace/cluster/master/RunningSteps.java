package io.headrace.cluster.master;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The running steps of a session, each until its cleanup at its tasks. Thread-safe. */
final class RunningSteps {
  private final Map<MasterStep, CompletableFuture<Void>> steps = new ConcurrentHashMap<>();

  /** The reason of {@link #cancel}; null before. */
  private volatile @Nullable StatusException cancelReason;

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** Adds a step; fails with the reason of {@link #cancel} after that. */
  void add(MasterStep step) {
    steps.put(step, new CompletableFuture<>());
    StatusException why = cancelReason;
    if (why != null) {
      end(step);
      throw why;
    }
  }

  /** Cleans up {@code step} at its tasks and then removes it and releases its plan. */
  void end(MasterStep step) {
    var _ =
        step.cleanup()
            .whenComplete((_, _) -> {
              CompletableFuture<Void> ended = steps.remove(step);
              if (ended != null) {
                step.release();
                ended.complete(null);
              }
            });
  }

  /** Cancels all running steps, and refuses new ones, with {@code why}. */
  void cancel(StatusException why) {
    cancelReason = why;
    steps.keySet().forEach(step -> step.cancel(why));
  }

  /** Completes when the steps that are running now have ended and are cleaned up. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(List.copyOf(steps.values()).toArray(CompletableFuture[]::new));
  }

  /** The number of steps. */
  int count() {
    return steps.size();
  }
}

package io.headrace.cluster.master;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The steps of a session, each until its tasks have forgotten it. Thread-safe. */
final class RunningSteps {
  private final Map<MasterStep, CompletableFuture<Void>> steps = new ConcurrentHashMap<>();

  /** Why there are to be no more; null while there may be. */
  private volatile @Nullable StatusException over;

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** Adds a step that begins; fails with what {@link #cancel} was told if it was called. */
  void add(MasterStep step) {
    steps.put(step, new CompletableFuture<>());
    StatusException why = over;
    if (why != null) {
      end(step);
      throw why;
    }
  }

  /** Lets the tasks forget {@code step}, once none of them runs it any more. */
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

  /** Cancels all that run, and all that would come, with {@code why}. */
  void cancel(StatusException why) {
    over = why;
    steps.keySet().forEach(step -> step.cancel(why));
  }

  /** Completes when those that run now have ended, and their tasks have forgotten them. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(List.copyOf(steps.values()).toArray(CompletableFuture[]::new));
  }

  /** How many there are. */
  int count() {
    return steps.size();
  }
}

package io.headrace.cluster.worker;

import io.headrace.runtime.execute.LocalRendezvous;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a worker, each from the first request that names it until its cleanup. Thread-safe.
 */
final class StepTable {
  /** A step, which may get requests for its tensors before it is started here. */
  private static final class Step {
    final LocalRendezvous local = new LocalRendezvous();
    final CompletableFuture<Void> removed = new CompletableFuture<>();
    @Nullable StepRun run;
    volatile @Nullable Predicate<String> sends;

    void refuseForeignKeys(Predicate<String> sends) {
      local.refuse(
          key -> !sends.test(key),
          key ->
              StatusException.invalidArgument(
                  "Invalid rendezvous key (src): %s is of no device that the step has here", key));
    }
  }

  private final Map<Long, Step> steps = new HashMap<>();

  private synchronized Step step(long id) {
    return steps.computeIfAbsent(id, _ -> new Step());
  }

  /**
   * The tensor that the step sends under {@code key} at this task. Once the step is started, its
   * devices here are known: then INVALID_ARGUMENT if the key names another sender.
   */
  CompletableFuture<Value> receive(long id, String key) {
    Step step = step(id);
    CompletableFuture<Value> value = step.local.receive(key);
    Predicate<String> sends = step.sends;
    if (sends != null && !sends.test(key)) {
      step.refuseForeignKeys(sends);
    }
    return value;
  }

  /**
   * The run of the step, created by the first request.
   *
   * @param sends whether this task sends the tensor of a key
   */
  StepRun run(
      long id, Predicate<String> sends, Function<LocalRendezvous, StepRendezvous> rendezvous) {
    Step step;
    StepRun run;
    synchronized (this) {
      step = step(id);
      if (step.run != null) {
        return step.run;
      }
      run = new StepRun(id, rendezvous.apply(step.local));
      step.run = run;
      step.sends = sends;
    }
    step.refuseForeignKeys(sends);
    return run;
  }

  /**
   * Removes the step if it was never started here, and so perhaps never will be. A started step is
   * ended by its master: a receiver that no longer waits for its tensors has failed and reports
   * that to the master.
   */
  void forgetUnlessRun(long id, StatusException reason) {
    Step step;
    synchronized (this) {
      step = steps.get(id);
      if (step == null || step.run != null) {
        return;
      }
      steps.remove(id);
    }
    step.local.abort(reason.asReasonOfOthers());
  }

  /** Whether the step was started here and not removed yet. */
  synchronized boolean isRun(long id) {
    Step step = steps.get(id);
    return step != null && step.run != null;
  }

  /** Completes when the steps that were started here are removed, as their masters request. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(started().toArray(CompletableFuture[]::new));
  }

  /** The number of steps that were started here and not removed yet. */
  int count() {
    return started().size();
  }

  private synchronized List<CompletableFuture<Void>> started() {
    return steps.values().stream()
        .filter(step -> step.run != null)
        .map(step -> step.removed)
        .toList();
  }

  /** Removes the step and aborts it with {@code reason}. */
  void remove(long id, StatusException reason) {
    Step step;
    synchronized (this) {
      step = steps.remove(id);
    }
    if (step != null) {
      end(step, reason);
    }
  }

  private static void end(Step step, StatusException reason) {
    StepRun run = step.run;
    if (run == null) {
      step.local.abort(reason.asReasonOfOthers());
    } else {
      run.abort(reason);
    }
    step.removed.complete(null);
  }

  /** Removes all steps and aborts them with {@code reason}. */
  void close(StatusException reason) {
    List<Step> all;
    synchronized (this) {
      all = List.copyOf(steps.values());
      steps.clear();
    }
    all.forEach(step -> end(step, reason));
  }
}

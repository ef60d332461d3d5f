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

/** The steps that a worker has a part in, from the first that is heard of them. Thread-safe. */
final class Steps {
  /** What is known of a step: others may ask for its tensors before it is run here. */
  private static final class Step {
    final LocalRendezvous local = new LocalRendezvous();
    final CompletableFuture<Void> forgotten = new CompletableFuture<>();
    @Nullable StepRun run;
    volatile @Nullable Predicate<String> sends;

    void refuseOthers(Predicate<String> sends) {
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
   * What the step sends under {@code key} at this task. Which devices it has here is known once it
   * runs: INVALID_ARGUMENT then if the key is of another's.
   */
  CompletableFuture<Value> receive(long id, String key) {
    Step step = step(id);
    CompletableFuture<Value> value = step.local.receive(key);
    Predicate<String> sends = step.sends;
    if (sends != null && !sends.test(key)) {
      step.refuseOthers(sends);
    }
    return value;
  }

  /**
   * The run of the step, begun with the first of its parts.
   *
   * @param sends whether what travels under a key is sent here
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
    step.refuseOthers(sends);
    return run;
  }

  /**
   * Forgets the step if it was never run here, and so may never be. One that runs is its master's
   * to end: whoever no longer waits for its tensors has failed, and will say there why.
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

  /** Whether the step was begun here, and is not forgotten. */
  synchronized boolean isRun(long id) {
    Step step = steps.get(id);
    return step != null && step.run != null;
  }

  /** Completes when the steps that were begun here are forgotten, as their masters say. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(begun().toArray(CompletableFuture[]::new));
  }

  /** How many steps were begun here and are not forgotten. */
  int count() {
    return begun().size();
  }

  private synchronized List<CompletableFuture<Void>> begun() {
    return steps.values().stream()
        .filter(step -> step.run != null)
        .map(step -> step.forgotten)
        .toList();
  }

  /** Ends whatever waits in the step, and forgets it. */
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
    step.forgotten.complete(null);
  }

  /** Ends all steps with {@code reason}. */
  void close(StatusException reason) {
    List<Step> all;
    synchronized (this) {
      all = List.copyOf(steps.values());
      steps.clear();
    }
    all.forEach(step -> end(step, reason));
  }
}

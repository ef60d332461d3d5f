package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.runtime.status.StatusException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An LRU cache of the plans of a session's steps, by signature. Thread-safe. */
public final class StepPlans {
  private static final int MAX_REQUESTS = 1000;

  /** A step's feeds, fetches and targets as the client wrote them, without canonicalization. */
  public record RequestedStep(List<String> feeds, List<String> fetches, List<String> targets) {}

  private final int capacity;
  private final Function<StepSignature, RefCountedPlan> maker;
  private final AtomicLong uses = new AtomicLong();

  /** The plans by uncanonicalized request, which saves the making of a signature. */
  private final Map<RequestedStep, RefCountedPlan> byRequest = new ConcurrentHashMap<>();

  private final Map<StepSignature, CompletableFuture<RefCountedPlan>> plans = new HashMap<>();

  /**
   * @param capacity how many plans are kept
   * @param maker plans a signature; blocks on calls of other tasks
   */
  public StepPlans(int capacity, Function<StepSignature, RefCountedPlan> maker) {
    this.capacity = capacity;
    this.maker = maker;
  }

  /** The cached plan of a request that came before in this form; the caller releases it. */
  public Optional<RefCountedPlan> known(RequestedStep requested) {
    RefCountedPlan known = byRequest.get(requested);
    return known != null && known.use(uses.incrementAndGet())
        ? Optional.of(known)
        : Optional.empty();
  }

  /** The plan of a request; the caller releases it. Blocks until it is made. */
  public RefCountedPlan of(RequestedStep requested) {
    RefCountedPlan plan =
        of(
            StepSignature.of(
                requested.feeds(), requested.fetches(), requested.targets(), Map.of(), false));
    if (byRequest.size() < MAX_REQUESTS || byRequest.containsKey(requested)) {
      byRequest.put(requested, plan);
    }
    return plan;
  }

  /** The plan of {@code signature}; the caller releases it. Blocks until it is made. */
  RefCountedPlan of(StepSignature signature) {
    while (true) {
      RefCountedPlan plan = FutureWaits.await(planFuture(signature));
      if (plan.use(uses.incrementAndGet())) {
        retireOldest();
        return plan;
      }
    }
  }

  private CompletableFuture<RefCountedPlan> planFuture(StepSignature signature) {
    CompletableFuture<RefCountedPlan> made = new CompletableFuture<>();
    synchronized (this) {
      CompletableFuture<RefCountedPlan> known = plans.putIfAbsent(signature, made);
      if (known != null) {
        return known;
      }
    }
    try {
      made.complete(maker.apply(signature));
    } catch (StatusException e) {
      forget(signature, made); // may succeed with the next version of the graph
      made.completeExceptionally(e);
    } catch (RuntimeException e) {
      forget(signature, made);
      made.completeExceptionally(e);
      throw e;
    }
    return made;
  }

  private synchronized void forget(
      StepSignature signature, CompletableFuture<RefCountedPlan> made) {
    plans.remove(signature, made);
  }

  private void retireOldest() {
    @Nullable RefCountedPlan oldest;
    while ((oldest = takeOldest()) != null) {
      RefCountedPlan gone = oldest;
      byRequest.values().removeIf(gone::equals);
      gone.retire();
    }
  }

  /** Removes the least recently used plan if there are more than {@link #capacity}. */
  private synchronized @Nullable RefCountedPlan takeOldest() {
    if (plans.size() <= capacity) {
      return null;
    }
    Optional<RefCountedPlan> oldest =
        plans.values().stream()
            .filter(made -> made.isDone() && !made.isCompletedExceptionally())
            .map(CompletableFuture::join)
            .filter(plan -> plan.usedAt() > 0) // its maker is about to acquire it
            .min(Comparator.comparingLong(RefCountedPlan::usedAt));
    oldest.ifPresent(plan -> plans.remove(plan.plan().signature()));
    return oldest.orElse(null);
  }
}

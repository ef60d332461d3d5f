package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.plan.SharedPlan;
import io.headrace.cluster.plan.Signature;
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

/**
 * The plans of a session's steps by signature. There are at most so many: the one that was used
 * least recently gives way, and is made again when it is asked for. Thread-safe.
 */
public final class StepPlans {
  private static final int REMEMBERED_ASKS = 1000;

  /** A signature in the client's own words. */
  public record Asked(List<String> feeds, List<String> fetches, List<String> targets) {}

  private final int most;
  private final Function<Signature, SharedPlan> maker;
  private final AtomicLong uses = new AtomicLong();

  /** The plans of what clients have asked for, as they have asked for it. */
  private final Map<Asked, SharedPlan> asks = new ConcurrentHashMap<>();

  private final Map<Signature, CompletableFuture<SharedPlan>> plans = new HashMap<>();

  /**
   * @param most how many plans are kept
   * @param maker makes the plan of a signature; waits for other tasks
   */
  public StepPlans(int most, Function<Signature, SharedPlan> maker) {
    this.most = most;
    this.maker = maker;
  }

  /** The plan of what was asked for before in the same words, to be released after its use. */
  public Optional<SharedPlan> known(Asked asked) {
    SharedPlan known = asks.get(asked);
    return known != null && known.use(uses.incrementAndGet())
        ? Optional.of(known)
        : Optional.empty();
  }

  /** The plan of what is asked for, to be released after its use; waits until it is made. */
  public SharedPlan of(Asked asked) {
    SharedPlan plan =
        of(Signature.of(asked.feeds(), asked.fetches(), asked.targets(), Map.of(), false));
    if (asks.size() < REMEMBERED_ASKS || asks.containsKey(asked)) {
      asks.put(asked, plan);
    }
    return plan;
  }

  /** The plan of {@code signature}, to be released after its use; waits until it is made. */
  SharedPlan of(Signature signature) {
    while (true) {
      SharedPlan plan = FutureWaits.await(madeOrBeingMade(signature));
      if (plan.use(uses.incrementAndGet())) {
        retireOldest();
        return plan;
      }
    }
  }

  private CompletableFuture<SharedPlan> madeOrBeingMade(Signature signature) {
    CompletableFuture<SharedPlan> made = new CompletableFuture<>();
    synchronized (this) {
      CompletableFuture<SharedPlan> known = plans.putIfAbsent(signature, made);
      if (known != null) {
        return known;
      }
    }
    try {
      made.complete(maker.apply(signature));
    } catch (StatusException e) {
      forget(signature, made); // the next version of the graph may have what it lacks
      made.completeExceptionally(e);
    } catch (RuntimeException e) {
      forget(signature, made);
      made.completeExceptionally(e);
      throw e;
    }
    return made;
  }

  private synchronized void forget(Signature signature, CompletableFuture<SharedPlan> made) {
    plans.remove(signature, made);
  }

  private void retireOldest() {
    @Nullable SharedPlan oldest;
    while ((oldest = takeOldest()) != null) {
      SharedPlan gone = oldest;
      asks.values().removeIf(gone::equals);
      gone.retire();
    }
  }

  /** Takes out the plan that was used least recently, if there are too many. */
  private synchronized @Nullable SharedPlan takeOldest() {
    if (plans.size() <= most) {
      return null;
    }
    Optional<SharedPlan> oldest =
        plans.values().stream()
            .filter(made -> made.isDone() && !made.isCompletedExceptionally())
            .map(CompletableFuture::join)
            .filter(plan -> plan.usedAt() > 0) // whoever made it is about to use it
            .min(Comparator.comparingLong(SharedPlan::usedAt));
    oldest.ifPresent(plan -> plans.remove(plan.plan().signature()));
    return oldest.orElse(null);
  }
}

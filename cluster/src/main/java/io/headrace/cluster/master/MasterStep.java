package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.peer.WorkerPeer.StepPart;
import io.headrace.cluster.plan.SharedPlan;
import io.headrace.cluster.plan.StepGraph;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One step of a session, at all its tasks. When one fails the others are cancelled, and it ends
 * when all have. Thread-safe.
 */
final class MasterStep {
  private static final int MAX_MESSAGE = 8192;

  /** In what a task says that did not get a tensor from another. */
  private static final String RETOLD = "while calling /tensorflow.WorkerService/RecvTensor";

  private static final long RETOLD_SECONDS = 1;
  private static final String LINE = "\n=====================\n";

  /** What a part of it ended with. */
  private record Failure(StepPlan.Part part, StatusException status) {}

  private final String session;
  private final SharedPlan shared;
  private final StepPlan plan;
  private final long id;
  private final ScheduledExecutorService timer;
  private final Cancellation cancellation = new Cancellation();

  /** Completes when no task runs what it was asked to run so far. */
  private CompletableFuture<?> runs = CompletableFuture.completedFuture(null);

  private @Nullable CompletableFuture<Void> cleanup;
  private volatile @Nullable StatusException reason;

  /**
   * @param shared how it runs; a use of it, which ends with {@link #release}
   * @param timer ends what goes on after a failure
   */
  MasterStep(String session, SharedPlan shared, long id, ScheduledExecutorService timer) {
    this.session = session;
    this.timer = timer;
    this.shared = shared;
    this.plan = shared.plan();
    this.id = id;
  }

  StepPlan plan() {
    return plan;
  }

  long id() {
    return id;
  }

  /** Ends it with {@code why}, whatever its parts say then. */
  void cancel(StatusException why) {
    synchronized (this) {
      if (reason == null) {
        reason = why;
      }
    }
    cancellation.cancel();
  }

  /**
   * Runs it, or the next part of it if it comes in parts.
   *
   * @param feeds what is fed, by name
   * @param fetches the names of what is fetched
   * @param isLast whether nothing comes after it
   * @param isTimed whether it is to be known when nodes ran
   * @return what is fetched, by name, and the times of all tasks
   */
  CompletableFuture<PartResult> run(
      Map<String, Tensor> feeds, List<String> fetches, boolean isLast, boolean isTimed) {
    Map<String, Tensor> sends = new HashMap<>();
    feeds.forEach((name, tensor) -> sends.put(key(plan.feeds(), name), tensor));
    Map<String, String> receives = new HashMap<>();
    fetches.forEach(name -> receives.put(key(plan.fetches(), name), name));
    List<CompletableFuture<PartResult>> running = new ArrayList<>();
    List<Failure> failures = new ArrayList<>();
    for (StepPlan.Part part : plan.parts()) {
      boolean isClients = part.isClients();
      StepPart request =
          new StepPart(
              session,
              part.graph(),
              id,
              isClients ? sends : Map.of(),
              isClients ? List.copyOf(receives.keySet()) : List.of(),
              plan.signature().isPartial(),
              isLast,
              isTimed);
      running.add(watched(part, request, failures));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new));
    synchronized (this) {
      runs = runs.isDone() ? all : CompletableFuture.allOf(runs, all);
    }
    return all.handle((_, _) -> {
      check(failures);
      Map<String, Tensor> fetched = new HashMap<>();
      StepStats.Builder times = StepStats.newBuilder();
      for (CompletableFuture<PartResult> part : running) {
        PartResult result = part.join();
        times.mergeFrom(result.times());
        result
            .fetched()
            .forEach((key, tensor) -> fetched.put(receives.getOrDefault(key, key), tensor));
      }
      return new PartResult(fetched, times.build());
    });
  }

  private static String key(StepGraph.Ends ends, String name) {
    return ends.keys().getOrDefault(name, name);
  }

  private CompletableFuture<PartResult> watched(
      StepPlan.Part part, StepPart request, List<Failure> failures) {
    CompletableFuture<PartResult> result;
    try {
      result = part.peer().runGraph(request, cancellation);
    } catch (StatusException e) {
      result = CompletableFuture.failedFuture(e);
    }
    return result.whenComplete((_, failure) -> {
      if (failure != null) {
        synchronized (failures) {
          failures.add(new Failure(part, FutureWaits.status(failure)));
        }
        cancelAfter(FutureWaits.status(failure));
      }
    });
  }

  /**
   * Cancels what else runs. Where a task failed because another did, or was cancelled by somebody
   * else, that other one is given the time to say so itself, lest the news of it come before it.
   */
  private void cancelAfter(StatusException failure) {
    if (isDerived(failure) || failure.message().contains(RETOLD)) {
      var _ = timer.schedule(cancellation::cancel, RETOLD_SECONDS, TimeUnit.SECONDS);
    } else {
      cancellation.cancel();
    }
  }

  private void check(List<Failure> failures) {
    StatusException why = reason;
    if (why != null) {
      throw why;
    }
    List<Failure> all;
    synchronized (failures) {
      all = List.copyOf(failures);
    }
    if (!all.isEmpty()) {
      throw together(roots(all));
    }
  }

  /** Those that did not follow from another. */
  private static List<Failure> roots(List<Failure> failures) {
    List<Failure> roots = new ArrayList<>();
    for (Failure failure : failures) {
      boolean follows =
          isDerived(failure.status())
              || failures.stream().anyMatch(other -> isToldBy(failure, other))
              || (isRetold(failure) && failures.stream().anyMatch(MasterStep::isOwn))
              || roots.stream().anyMatch(r -> saysTheSame(r, failure));
      if (!follows) {
        roots.add(failure);
      }
    }
    return roots.isEmpty() ? List.of(failures.getFirst()) : roots;
  }

  /** Whether a task failed because another did, and says so: what it waited for did not come. */
  private static boolean isToldBy(Failure failure, Failure other) {
    String message = failure.status().message();
    String told = other.status().message();
    return message.length() > told.length() && message.contains(told);
  }

  /** Whether a task failed for what another did not send. */
  private static boolean isRetold(Failure failure) {
    return failure.status().message().contains(RETOLD);
  }

  private static boolean isOwn(Failure failure) {
    return !isDerived(failure.status()) && !isRetold(failure);
  }

  /** A cancelled call can't say for itself that it was. */
  private static boolean isDerived(StatusException failure) {
    return failure.code() == StatusCode.CANCELLED || failure.has(StatusPayload.DERIVED);
  }

  private static boolean saysTheSame(Failure one, Failure other) {
    return one.status().message().equals(other.status().message());
  }

  private static StatusException together(List<Failure> roots) {
    Failure first = roots.getFirst();
    if (roots.size() == 1) {
      return new StatusException(first.status().code(), said(first), first.status());
    }
    StringBuilder message = new StringBuilder(LINE);
    for (Failure root : roots) {
      message.append(root.status().code()).append(": ").append(said(root)).append(LINE);
    }
    String text = message.substring(0, Math.min(MAX_MESSAGE, message.length()));
    return new StatusException(first.status().code(), text, first.status());
  }

  private static String said(Failure failure) {
    return "From " + failure.part().task() + ":\n" + failure.status().message();
  }

  /** Lets the tasks forget it, once none of them runs it any more; the same if asked again. */
  CompletableFuture<Void> cleanup() {
    CompletableFuture<Void> cleaned = new CompletableFuture<>();
    CompletableFuture<?> before;
    synchronized (this) {
      CompletableFuture<Void> known = cleanup;
      if (known != null) {
        return known;
      }
      cleanup = cleaned;
      before = runs;
    }
    var _ =
        before
            .handle((_, _) -> null)
            .thenCompose(_ -> cleanupParts())
            .whenComplete((_, _) -> cleaned.complete(null));
    return cleaned;
  }

  private CompletableFuture<Void> cleanupParts() {
    List<CompletableFuture<Void>> cleanups = new ArrayList<>();
    for (StepPlan.Part part : plan.parts()) {
      cleanups.add(part.peer().cleanupGraph(id).exceptionally(_ -> null));
    }
    return CompletableFuture.allOf(cleanups.toArray(CompletableFuture[]::new));
  }

  /** Lets go of how it runs. */
  void release() {
    shared.release();
  }
}

package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.peer.WorkerPeer.StepPart;
import io.headrace.cluster.plan.RefCountedPlan;
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
 * A step of a session, run at all tasks of its plan. If a task fails, the others are cancelled; the
 * step ends when all tasks have ended. Thread-safe.
 */
final class MasterStep {
  private static final int MAX_MESSAGE = 8192;

  /** The mark, in its message, of a failure to receive a tensor from another task. */
  private static final String RECV_FAILURE = "while calling /tensorflow.WorkerService/RecvTensor";

  private static final long DERIVED_DELAY_SECONDS = 1;
  private static final String LINE = "\n=====================\n";

  /** The failure of a task. */
  private record Failure(StepPlan.Part part, StatusException status) {}

  private final String session;
  private final RefCountedPlan shared;
  private final StepPlan plan;
  private final long id;
  private final ScheduledExecutorService timer;
  private final Cancellation cancellation = new Cancellation();

  /** Completes when no task is running a part that was started so far. */
  private CompletableFuture<?> runs = CompletableFuture.completedFuture(null);

  private @Nullable CompletableFuture<Void> cleanup;
  private volatile @Nullable StatusException reason;

  /**
   * @param shared the acquired plan, which {@link #release} releases
   * @param timer schedules the delayed cancellation after a failure
   */
  MasterStep(String session, RefCountedPlan shared, long id, ScheduledExecutorService timer) {
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

  /** Cancels the step: it fails with {@code why}, whatever its tasks report. */
  void cancel(StatusException why) {
    synchronized (this) {
      if (reason == null) {
        reason = why;
      }
    }
    cancellation.cancel();
  }

  /**
   * Runs the step, or the next part of a partial run.
   *
   * @param feeds the feeds, by name
   * @param fetches the names of the fetches
   * @param isLast whether this is the last part
   * @param isTimed whether to record when nodes ran
   * @return the fetched tensors, by name, and the times of all tasks
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
   * Cancels the other tasks. If the failure derives from that of another task, the cancellation is
   * delayed, so that the other task can report its own failure first.
   */
  private void cancelAfter(StatusException failure) {
    if (isDerived(failure) || failure.message().contains(RECV_FAILURE)) {
      var _ = timer.schedule(cancellation::cancel, DERIVED_DELAY_SECONDS, TimeUnit.SECONDS);
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
      throw combine(roots(all));
    }
  }

  /** The root failures: those not derived from another one. */
  private static List<Failure> roots(List<Failure> failures) {
    List<Failure> roots = new ArrayList<>();
    for (Failure failure : failures) {
      boolean follows =
          isDerived(failure.status())
              || failures.stream().anyMatch(other -> quotes(failure, other))
              || (isRecvFailure(failure) && failures.stream().anyMatch(MasterStep::isRoot))
              || roots.stream().anyMatch(r -> hasSameMessage(r, failure));
      if (!follows) {
        roots.add(failure);
      }
    }
    return roots.isEmpty() ? List.of(failures.getFirst()) : roots;
  }

  /**
   * Whether {@code failure} quotes {@code other}: its task did not receive a tensor because of
   * that.
   */
  private static boolean quotes(Failure failure, Failure other) {
    String message = failure.status().message();
    String quoted = other.status().message();
    return message.length() > quoted.length() && message.contains(quoted);
  }

  /** Whether a task failed because another one did not send a tensor. */
  private static boolean isRecvFailure(Failure failure) {
    return failure.status().message().contains(RECV_FAILURE);
  }

  private static boolean isRoot(Failure failure) {
    return !isDerived(failure.status()) && !isRecvFailure(failure);
  }

  /** A cancelled call carries no payload, so CANCELLED counts as derived. */
  private static boolean isDerived(StatusException failure) {
    return failure.code() == StatusCode.CANCELLED || failure.has(StatusPayload.DERIVED);
  }

  private static boolean hasSameMessage(Failure one, Failure other) {
    return one.status().message().equals(other.status().message());
  }

  private static StatusException combine(List<Failure> roots) {
    Failure first = roots.getFirst();
    if (roots.size() == 1) {
      return new StatusException(first.status().code(), describe(first), first.status());
    }
    StringBuilder message = new StringBuilder(LINE);
    for (Failure root : roots) {
      message.append(root.status().code()).append(": ").append(describe(root)).append(LINE);
    }
    String text = message.substring(0, Math.min(MAX_MESSAGE, message.length()));
    return new StatusException(first.status().code(), text, first.status());
  }

  private static String describe(Failure failure) {
    return "From " + failure.part().task() + ":\n" + failure.status().message();
  }

  /** Cleans up the step at its tasks, once none of them is running it. Idempotent. */
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

  /** Releases the plan. */
  void release() {
    shared.release();
  }
}

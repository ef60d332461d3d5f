package io.headrace.cluster.worker;

import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.peer.WorkerPeer.StepPart;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.execute.GraphExecutor;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.execute.StepTimeline;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The run of a step at a worker: one RunGraph request, or several of a partial run. Thread-safe.
 */
final class StepRun {
  private final long stepId;
  private final StepRendezvous rendezvous;

  /** Cancels the run; a partial run outlives its requests. */
  private final Cancellation cancellation = new Cancellation();

  /** Completes when no node is running any more. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private @Nullable CompletableFuture<Void> running;

  /** The reason of an abort; null without one. */
  private volatile @Nullable StatusException aborted;

  StepRun(long stepId, StepRendezvous rendezvous) {
    this.stepId = stepId;
    this.rendezvous = rendezvous;
  }

  /** Starts {@code graph}, or continues it with the next request of a partial run. */
  CompletableFuture<PartResult> run(
      GraphExecutor graph,
      StepPart part,
      Cancellation request,
      @Nullable StepStatsCollector times) {
    Cancellation.Registration registration = request.onCancel(cancellation::cancel);
    CompletableFuture<Void> run;
    try {
      part.sends()
          .forEach((key, tensor) -> {
            var _ = rendezvous.send(key, Value.of(tensor));
          });
      run = running(graph, times == null ? null : times.timeline());
    } catch (RuntimeException e) {
      ended.complete(null);
      throw e;
    }
    boolean hasMoreParts = part.isPartial() && !part.isLastPartial();
    Map<String, CompletableFuture<Value>> fetched = new LinkedHashMap<>();
    part.receives().forEach(key -> fetched.put(key, rendezvous.receive(key)));
    CompletableFuture<Void> arrived =
        CompletableFuture.allOf(fetched.values().toArray(CompletableFuture[]::new));
    // Unless it fails, a run has sent all fetched tensors when it ends.
    CompletableFuture<Void> over = hasMoreParts ? arrived : run.thenCompose(_ -> arrived);
    return over.whenComplete((_, _) -> registration.close())
        .exceptionallyCompose(failure -> {
          StatusException why = aborted;
          return why == null && run.isCompletedExceptionally()
              ? run
              : CompletableFuture.failedFuture(why == null ? failure : why);
        })
        .thenApply(_ ->
            new PartResult(
                values(fetched), times == null ? StepStats.getDefaultInstance() : times.stats()));
  }

  private synchronized CompletableFuture<Void> running(
      GraphExecutor graph, @Nullable StepTimeline timeline) {
    CompletableFuture<Void> known = running;
    if (known == null) {
      known = graph.run(stepId, rendezvous, cancellation, timeline);
      running = known;
      var _ = known.whenComplete((_, _) -> ended.complete(null));
    }
    return known;
  }

  private Map<String, Tensor> values(Map<String, CompletableFuture<Value>> fetched) {
    Map<String, Tensor> values = new HashMap<>();
    fetched.forEach((key, future) -> {
      Value value = future.join();
      if (value.isDead()) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "Failed to fetch outputs for step %d. (Original error message: The tensor returned for"
                + " %s was not valid.)",
            stepId,
            key);
      }
      values.put(key, value.tensor());
    });
    return values;
  }

  /** Aborts the run with {@code reason}, unless it has ended. */
  void abort(StatusException reason) {
    aborted = reason;
    rendezvous.abort(reason);
    cancellation.cancel();
  }

  /** Completes when no node is running any more; never if {@link #run} was not called. */
  CompletableFuture<Void> ended() {
    return ended;
  }
}

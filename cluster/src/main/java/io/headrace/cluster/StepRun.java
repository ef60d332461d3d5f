package io.headrace.cluster;

import io.headrace.cluster.WorkerPeer.PartResult;
import io.headrace.cluster.WorkerPeer.StepPart;
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

/** A step at a worker. Thread-safe. */
final class StepRun {
  private final long stepId;
  private final StepRendezvous rendezvous;

  /** Ends the run; a partial one outlives the requests that it is made of. */
  private final Cancellation cancellation = new Cancellation();

  private @Nullable CompletableFuture<Void> running;

  StepRun(long stepId, StepRendezvous rendezvous) {
    this.stepId = stepId;
    this.rendezvous = rendezvous;
  }

  /** Runs {@code graph}, or goes on with it if the step is partial and was begun. */
  CompletableFuture<PartResult> run(
      GraphExecutor graph, StepPart part, Cancellation request, @Nullable StepTimes times) {
    Cancellation.Registration registration = request.onCancel(cancellation::cancel);
    part.sends()
        .forEach((key, tensor) -> {
          var _ = rendezvous.send(key, Value.of(tensor));
        });
    CompletableFuture<Void> run = running(graph, times == null ? null : times.timeline());
    boolean goesOn = part.isPartial() && !part.isLastPartial();
    Map<String, CompletableFuture<Value>> fetched = new LinkedHashMap<>();
    part.receives().forEach(key -> fetched.put(key, rendezvous.receive(key)));
    CompletableFuture<Void> arrived =
        CompletableFuture.allOf(fetched.values().toArray(CompletableFuture[]::new));
    // Without an error all that is fetched has been sent when the run is over.
    CompletableFuture<Void> over = goesOn ? arrived : run.thenCompose(_ -> arrived);
    return over.whenComplete((_, _) -> registration.close())
        .exceptionallyCompose(failure ->
            run.isCompletedExceptionally() ? run : CompletableFuture.failedFuture(failure))
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

  void abort(StatusException reason) {
    rendezvous.abort(reason);
    cancellation.cancel();
  }
}

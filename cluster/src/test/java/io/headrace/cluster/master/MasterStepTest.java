package io.headrace.cluster.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.StepGraph.Ends;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The failure of a step whose tasks fail. */
final class MasterStepTest {
  private static final String LINE = "\n=====================\n";

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<FakeWorker> workers = new ArrayList<>();

  /** Runs a step until the test completes it, whether or not it is cancelled. */
  private static final class FakeWorker implements WorkerPeer {
    final CompletableFuture<PartResult> result = new CompletableFuture<>();

    @Override
    public CompletableFuture<PartResult> runGraph(StepPart step, Cancellation cancellation) {
      return result;
    }

    @Override
    public CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Void> createSession(SessionPart session) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Void> deleteSession(String handle) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<String> registerGraph(
        String session, GraphDef graph, ConfigProto config) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Void> deregisterGraph(String session, String graph) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Value> receiveTensor(
        long stepId, String key, Cancellation cancellation) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Void> cleanupGraph(long stepId) {
      throw new AssertionError("not part of a step");
    }

    @Override
    public CompletableFuture<Void> cleanupAll(List<String> containers) {
      throw new AssertionError("not part of a step");
    }
  }

  @AfterEach
  void stopTimer() {
    timer.shutdownNow();
  }

  /** The failure of a step whose tasks 0, 1, ... of job w fail in this order. */
  private StatusException outcome(StatusException... failures) {
    List<StepPlan.Part> parts = new ArrayList<>();
    for (int i = 0; i < failures.length; i++) {
      workers.add(new FakeWorker());
      parts.add(
          new StepPlan.Part(
              DeviceSpec.ofTask("w", i),
              workers.get(i),
              "graph",
              GraphDef.getDefaultInstance(),
              i == 0));
    }
    Ends none = new Ends(Map.of(), Map.of());
    StepSignature signature = StepSignature.of(List.of(), List.of(), List.of("n"), Map.of(), false);
    StepPlan plan = new StepPlan(signature, parts, none, none);
    MasterStep step = new MasterStep("session", new RefCountedPlan(plan, _ -> {}), 1, timer);
    CompletableFuture<PartResult> result = step.run(Map.of(), List.of(), true, false);
    for (int i = 0; i < failures.length; i++) {
      assertThat(result).isNotDone();
      workers.get(i).result.completeExceptionally(failures[i]);
    }
    return FutureWaits.status(result.exceptionNow());
  }

  private static StatusException failure(StatusCode code, String message) {
    return new StatusException(code, message);
  }

  @Test
  void failuresOfTheirOwn_areToldTogether_withTheCodeOfTheFirst() {
    StatusException e =
        outcome(
            failure(StatusCode.INTERNAL, "one"),
            failure(StatusCode.CANCELLED, "the step was cancelled"),
            failure(StatusCode.INVALID_ARGUMENT, "two"));

    assertThat(e.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(e)
        .hasMessage(
            LINE
                + "INTERNAL: From /job:w/replica:0/task:0:\none"
                + LINE
                + "INVALID_ARGUMENT: From /job:w/replica:0/task:2:\ntwo"
                + LINE);
  }

  @Test
  void longFailures_areCut() {
    StatusException e =
        outcome(
            failure(StatusCode.INTERNAL, "a".repeat(5000)),
            failure(StatusCode.INTERNAL, "b".repeat(5000)));

    assertThat(e.message()).hasSize(8192).contains("aaa").endsWith("bbb");
  }

  @Test
  void failureThatFollowsFromAnother_isNotTold() {
    StatusException e =
        outcome(
            failure(StatusCode.ABORTED, "Cleanup 7").with(StatusPayload.DERIVED),
            failure(StatusCode.INVALID_ARGUMENT, "the reason"));

    assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(e).hasMessage("From /job:w/replica:0/task:1:\nthe reason");
  }

  @Test
  void failuresThatFollowFromWhatNobodyTells_areToldAfterAll() {
    StatusException e =
        outcome(
            failure(StatusCode.ABORTED, "Cleanup 7").with(StatusPayload.DERIVED),
            failure(StatusCode.CANCELLED, "the step was cancelled"));

    assertThat(e.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(e.has(StatusPayload.DERIVED)).isTrue();
    assertThat(e).hasMessageContaining("Cleanup 7");
  }
}

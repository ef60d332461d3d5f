package io.headrace.cluster;

import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.Cancellation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A worker with one CPU that records its calls and runs nothing. */
final class FakeWorker implements WorkerPeer {
  private final DeviceSpec task;
  private final List<String> calls = new CopyOnWriteArrayList<>();

  /** The reply to the next steps, which run until it completes. */
  CompletableFuture<PartResult> reply =
      CompletableFuture.completedFuture(new PartResult(Map.of(), StepStats.getDefaultInstance()));

  /** A side effect of createSession. */
  Runnable onCreateSession = () -> {};

  FakeWorker(DeviceSpec task) {
    this.task = task;
  }

  /** The recorded calls, in order. */
  List<String> calls() {
    return List.copyOf(calls);
  }

  private <T> CompletableFuture<T> note(String call, CompletableFuture<T> answer) {
    calls.add(call);
    return answer;
  }

  private CompletableFuture<Void> note(String call) {
    return note(call, CompletableFuture.completedFuture(null));
  }

  @Override
  public CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation) {
    return CompletableFuture.completedFuture(
        List.of(
            DeviceAttributes.newBuilder()
                .setName(task + "/device:CPU:0")
                .setDeviceType("CPU")
                .setIncarnation(1)
                .build()));
  }

  @Override
  public CompletableFuture<Void> createSession(SessionPart session) {
    onCreateSession.run();
    return note("createSession");
  }

  @Override
  public CompletableFuture<Void> deleteSession(String handle) {
    return note("deleteSession");
  }

  @Override
  public CompletableFuture<String> registerGraph(
      String session, GraphDef graph, ConfigProto config) {
    return note("registerGraph", CompletableFuture.completedFuture("graph" + calls.size()));
  }

  @Override
  public CompletableFuture<Void> deregisterGraph(String session, String graph) {
    return note("deregisterGraph");
  }

  @Override
  public CompletableFuture<PartResult> runGraph(StepPart step, Cancellation cancellation) {
    return note("runGraph", reply);
  }

  @Override
  public CompletableFuture<Value> receiveTensor(
      long stepId, String key, Cancellation cancellation) {
    return note("receiveTensor", new CompletableFuture<>());
  }

  @Override
  public CompletableFuture<Void> cleanupGraph(long stepId) {
    return note("cleanupGraph");
  }

  @Override
  public CompletableFuture<Void> cleanupAll(List<String> containers) {
    return note("cleanupAll");
  }
}

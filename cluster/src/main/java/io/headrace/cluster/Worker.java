package io.headrace.cluster;

import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.execute.GraphExecutor;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.execute.Rendezvous;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The worker of a server: runs registered graphs on its devices, and holds what they send for whom
 * they send it to. Thread-safe.
 */
final class Worker implements WorkerPeer {
  private final DeviceSpec task;
  private final LocalDevices devices;
  private final OpRegistry ops;
  private final Threads threads;
  private final InstantSource clock;
  private final Peers peers;
  private final LongSupplier random;
  private final AtomicLong graphNumbers = new AtomicLong();
  private final Map<String, WorkerSession> sessions = new ConcurrentHashMap<>();
  private final Steps steps = new Steps();

  Worker(
      DeviceSpec task,
      LocalDevices devices,
      OpRegistry ops,
      Threads threads,
      InstantSource clock,
      Peers peers,
      LongSupplier random) {
    this.random = random;
    this.clock = clock;
    this.task = task;
    this.devices = devices;
    this.ops = ops;
    this.threads = threads;
    this.peers = peers;
    peers.setLocal(task, this);
  }

  @Override
  public CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation) {
    return CompletableFuture.completedFuture(devices.attributes());
  }

  @Override
  public CompletableFuture<Void> createSession(SessionPart part) {
    if (part.handle().isEmpty()) {
      throw StatusException.invalidArgument("Session must be non-empty.");
    }
    dropSessionsOfEarlierLives(part);
    ServerDef server = part.server();
    DeviceSpec name =
        server.getCluster().getJobCount() == 0
            ? task
            : DeviceSpec.ofTask(server.getJobName(), server.getTaskIndex());
    Peers known =
        server.getCluster().getJobCount() == 0
            ? peers
            : peers.of(ClusterSpec.of(server.getCluster()), name, this);
    sessions.computeIfAbsent(
        part.handle(),
        handle ->
            WorkerSession.open(
                name,
                part,
                known,
                devices,
                TaskDevices.inSession(handle, name, known, random, devices.first().incarnation())));
    return CompletableFuture.completedFuture(null);
  }

  /** A master that was restarted has forgotten its sessions. */
  private void dropSessionsOfEarlierLives(SessionPart part) {
    for (Map.Entry<String, WorkerSession> entry : sessions.entrySet()) {
      SessionPart other = entry.getValue().part();
      if (!part.masterTask().isEmpty()
          && other.masterTask().equals(part.masterTask())
          && other.masterIncarnation() != part.masterIncarnation()) {
        var _ = deleteSession(entry.getKey());
      }
    }
  }

  @Override
  public CompletableFuture<Void> deleteSession(String handle) {
    WorkerSession session = sessions.remove(handle);
    if (session != null) {
      session.close();
    }
    return CompletableFuture.completedFuture(null);
  }

  private WorkerSession session(String handle) {
    WorkerSession session = sessions.get(handle);
    if (session == null) {
      throw StatusException.of(
          StatusCode.ABORTED,
          "Session handle is not found: %s. Possibly this worker (\"%s\") just restarted.",
          handle,
          task);
    }
    return session;
  }

  @Override
  public CompletableFuture<String> registerGraph(
      String sessionHandle, GraphDef definition, ConfigProto config) {
    WorkerSession session = session(sessionHandle);
    FunctionLibrary functions = new FunctionLibrary(definition.getLibrary(), ops);
    FlowGraph graph =
        FlowGraph.EMPTY.with(
            FunctionCalls.written(definition.getNodeList(), definition.getLibrary(), ops),
            new OpFinder(ops)::find);
    GraphExecutor executor =
        GraphExecutor.prepare(
            graph,
            node -> session.place(node.name(), node.device()),
            session.kernels(),
            functions,
            threads);
    String handle = String.format(Locale.ROOT, "%016x", graphNumbers.incrementAndGet());
    session.add(handle, executor);
    return CompletableFuture.completedFuture(handle);
  }

  void deregisterGraph(String sessionHandle, String graph) {
    session(sessionHandle).remove(graph);
  }

  @Override
  public CompletableFuture<PartResult> runGraph(StepPart part, Cancellation cancellation) {
    WorkerSession session = session(part.session());
    GraphExecutor graph = session.graph(part.graph());
    StepRun run =
        steps.run(
            part.stepId(),
            local ->
                new StepRendezvous(
                    local, session::sends, key -> receiveRemote(session, part.stepId(), key)));
    @Nullable StepTimes times = part.isTimed() ? new StepTimes(threads.ticker(), clock) : null;
    return run.run(graph, part, cancellation, times);
  }

  private static CompletableFuture<Value> receiveRemote(
      WorkerSession session, long stepId, String key) {
    Cancellation cancellation = new Cancellation();
    CompletableFuture<Value> answer = session.sender(key).receiveTensor(stepId, key, cancellation);
    var _ =
        answer.whenComplete((_, failure) -> {
          if (failure != null) {
            cancellation.cancel();
          }
        });
    return answer;
  }

  @Override
  public CompletableFuture<Rendezvous.Value> receiveTensor(
      long stepId, String key, Cancellation cancellation) {
    RendezvousKey.check(key);
    if (!devices.areSendersOf(key)) {
      checkIncarnation(RendezvousKey.parse(key));
    }
    CompletableFuture<Value> value = steps.local(stepId).receive(key);
    Cancellation.Registration registration =
        cancellation.onCancel(() ->
            steps.forgetUnlessRun(
                stepId,
                StatusException.of(
                    StatusCode.CANCELLED, "Step %d cancelled. Cancelling rendezvous.", stepId)));
    return value.whenComplete((_, _) -> registration.close());
  }

  private void checkIncarnation(RendezvousKey key) {
    DeviceSpec device = DeviceSpec.parse(key.sendDevice());
    @Nullable LocalDevice found = devices.find(device.at(task).toString());
    if (found == null) {
      throw StatusException.invalidArgument(
          "Invalid rendezvous key (src): %s is no device of %s", key.sendDevice(), task);
    }
    if (found.incarnation() != key.incarnation()) {
      throw StatusException.of(
          StatusCode.ABORTED,
          "RecvTensor expects a different device incarnation: %d vs. %d. Your worker job (\"%s\")"
              + " was probably restarted. Check your worker job for the reason why it was"
              + " restarted.",
          key.incarnation(),
          found.incarnation(),
          device.taskOnly());
    }
  }

  @Override
  public CompletableFuture<Void> cleanupGraph(long stepId) {
    steps.remove(stepId, StatusException.of(StatusCode.ABORTED, "Cleanup %d", stepId));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> cleanupAll(List<String> containers) {
    devices.clear(containers);
    return CompletableFuture.completedFuture(null);
  }

  void close() {
    steps.close();
    sessions.values().forEach(WorkerSession::close);
    sessions.clear();
  }
}

package io.headrace.cluster.worker;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.RendezvousKey;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.plan.OpFinder;
import io.headrace.cluster.spec.ClusterSpec;
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
import io.headrace.runtime.graph.LegacyFunctionCalls;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The worker of a server: it runs registered graphs on its devices and keeps the tensors they send
 * until they are received. Thread-safe.
 */
public final class StepWorker implements WorkerPeer {
  private final DeviceSpec task;
  private final LocalDevices devices;
  private final OpRegistry ops;
  private final Threads threads;
  private final InstantSource clock;
  private final Peers peers;
  private final LongSupplier random;
  private final AtomicLong graphNumbers = new AtomicLong();
  private final Map<String, WorkerSession> sessions = new ConcurrentHashMap<>();

  /**
   * The sessions of masters that do not call CreateWorkerSession, as older versions of TensorFlow;
   * such a session lasts as long as it has graphs.
   */
  private final Map<String, WorkerSession> undeclared = new ConcurrentHashMap<>();

  private final StepTable steps = new StepTable();

  public StepWorker(
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
    dropSessionsOfEarlierIncarnations(part);
    ServerDef server = part.server();
    DeviceSpec name =
        server.getCluster().getJobCount() == 0
            ? task
            : DeviceSpec.ofTask(server.getJobName(), server.getTaskIndex());
    Peers known =
        server.getCluster().getJobCount() == 0
            ? peers
            : peers.of(ClusterSpec.of(server.getCluster()), name, this);
    sessions.computeIfAbsent(part.handle(), _ -> open(name, part, known));
    return CompletableFuture.completedFuture(null);
  }

  private WorkerSession open(DeviceSpec name, SessionPart part, Peers known) {
    return WorkerSession.open(
        name,
        part,
        known,
        devices,
        ClusterDevices.inSession(
            part.handle(), name, known, random, devices.first().incarnation()));
  }

  /** Deletes the sessions of the master's earlier incarnations, which it does not know any more. */
  private void dropSessionsOfEarlierIncarnations(SessionPart part) {
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
    return session == null ? CompletableFuture.completedFuture(null) : session.close();
  }

  private WorkerSession session(String handle) {
    WorkerSession session = sessions.get(handle);
    if (session == null) {
      throw StatusException.of(
              StatusCode.ABORTED,
              "Session handle is not found: %s. Possibly this worker (\"%s\") just restarted.",
              handle,
              task)
          .with(StatusPayload.WORKER_POSSIBLY_RESTARTED);
    }
    return session;
  }

  @Override
  public CompletableFuture<String> registerGraph(
      String sessionHandle, GraphDef definition, ConfigProto config) {
    return CompletableFuture.completedFuture(register(session(sessionHandle), definition));
  }

  /** Registers a graph in a session without CreateWorkerSession. */
  CompletableFuture<String> registerUndeclared(String sessionHandle, GraphDef definition) {
    SessionPart part = new SessionPart(sessionHandle, ServerDef.getDefaultInstance(), false, "", 0);
    List<String> registered = new ArrayList<>();
    undeclared.compute(
        sessionHandle,
        (_, known) -> {
          WorkerSession session = known == null ? open(task, part, peers) : known;
          registered.add(register(session, definition));
          return session;
        });
    return CompletableFuture.completedFuture(registered.getFirst());
  }

  private String register(WorkerSession session, GraphDef definition) {
    GraphDef written = LegacyFunctionCalls.written(definition, ops);
    FunctionLibrary functions = new FunctionLibrary(written.getLibrary(), ops);
    FlowGraph graph = FlowGraph.EMPTY.with(written.getNodeList(), new OpFinder(ops)::find);
    GraphExecutor executor =
        GraphExecutor.prepare(
            graph,
            node -> session.place(node.name(), node.device()),
            session.kernels(),
            functions,
            threads);
    String handle = String.format(Locale.ROOT, "%016x", graphNumbers.incrementAndGet());
    session.add(handle, executor, definition);
    return handle;
  }

  /**
   * The graph of {@code part} as its master sent it.
   *
   * @param isDeclared whether the master called CreateWorkerSession
   */
  GraphDef definition(StepPart part, boolean isDeclared) {
    WorkerSession session = isDeclared ? session(part.session()) : undeclared(part);
    return session.definition(part.graph());
  }

  @Override
  public CompletableFuture<Void> deregisterGraph(String sessionHandle, String graph) {
    session(sessionHandle).remove(graph);
    return CompletableFuture.completedFuture(null);
  }

  /** Deregisters a graph of a session without CreateWorkerSession. */
  CompletableFuture<Void> deregisterUndeclared(String sessionHandle, String graph) {
    List<WorkerSession> ended = new ArrayList<>();
    undeclared.computeIfPresent(
        sessionHandle,
        (_, session) -> {
          session.remove(graph);
          if (!session.isEmpty()) {
            return session;
          }
          ended.add(session);
          return null;
        });
    return ended.isEmpty() ? CompletableFuture.completedFuture(null) : ended.getFirst().close();
  }

  @Override
  public CompletableFuture<PartResult> runGraph(StepPart part, Cancellation cancellation) {
    return run(session(part.session()), part, cancellation);
  }

  /** Runs a graph of a session without CreateWorkerSession. */
  CompletableFuture<PartResult> runUndeclared(StepPart part, Cancellation cancellation) {
    return run(undeclared(part), part, cancellation);
  }

  private WorkerSession undeclared(StepPart part) {
    WorkerSession session = undeclared.get(part.session());
    if (session == null) {
      throw StatusException.of(StatusCode.ABORTED, "Graph handle is not found: %s", part.graph());
    }
    return session;
  }

  private CompletableFuture<PartResult> run(
      WorkerSession session, StepPart part, Cancellation cancellation) {
    GraphExecutor graph = session.graph(part.graph());
    StepRun run =
        steps.run(
            part.stepId(),
            session::sends,
            local ->
                new StepRendezvous(
                    local, session::sends, key -> receiveRemote(session, part.stepId(), key)));
    session.begin(run);
    @Nullable StepStatsCollector times =
        part.isTimed() ? new StepStatsCollector(threads.ticker(), clock) : null;
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
    CompletableFuture<Value> value = steps.receive(stepId, key);
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
              "RecvTensor expects a different device incarnation: %d vs. %d. Your worker job"
                  + " (\"%s\") was probably restarted. Check your worker job for the reason why it"
                  + " was restarted.",
              key.incarnation(),
              found.incarnation(),
              device.taskOnly())
          .with(StatusPayload.WORKER_POSSIBLY_RESTARTED);
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

  /** Whether the step {@code stepId} was started here and not cleaned up yet. */
  boolean isRunning(long stepId) {
    return steps.isRun(stepId);
  }

  /** The number of steps that were started here and not cleaned up yet. */
  public int runningSteps() {
    return steps.count();
  }

  /** Completes when the steps that were started here are cleaned up. */
  public CompletableFuture<Void> stepsEnded() {
    return steps.ended();
  }

  /**
   * Aborts all steps with {@code reason}, which their masters and the receivers of their tensors
   * get.
   */
  public void abort(StatusException reason) {
    steps.close(reason);
  }

  /** Closes all sessions; waits for their steps for {@code atMost} at most. */
  public void close(Duration atMost) {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    sessions.values().forEach(session -> ends.add(session.close()));
    undeclared.values().forEach(session -> ends.add(session.close()));
    sessions.clear();
    undeclared.clear();
    var _ =
        FutureWaits.awaitEnd(
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)), atMost);
  }
}

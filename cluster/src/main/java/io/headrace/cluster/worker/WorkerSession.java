package io.headrace.cluster.worker;

import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.RendezvousKey;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;
import io.headrace.runtime.execute.GraphExecutor;
import io.headrace.runtime.execute.NodePlacement;
import io.headrace.runtime.execute.SessionKernels;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A session at a worker: its graphs, their kernels and resources, and the tensors that steps keep
 * for later steps (session tensors).
 */
final class WorkerSession {
  private final DeviceSpec task;
  private final WorkerPeer.SessionPart part;
  private final Peers peers;
  private final Map<String, NodePlacement> places = new HashMap<>();

  /** The workers from which tensors are received, by sending device. */
  private final Map<String, WorkerPeer> senders = new ConcurrentHashMap<>();

  private final List<Resources> own;
  private final RemoteDevices others;
  private final SessionKernels kernels = new SessionKernels();
  private final SessionTensors tensors = new SessionTensors();
  private final Map<String, Registered> graphs = new ConcurrentHashMap<>();

  /** A prepared graph, and the GraphDef, whose attrs its nodes share. */
  private record Registered(GraphExecutor graph, GraphDef definition) {}

  /** The running steps. */
  private final Set<StepRun> runs = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  private WorkerSession(
      DeviceSpec task,
      WorkerPeer.SessionPart part,
      Peers peers,
      List<Resources> own,
      RemoteDevices others) {
    this.task = task;
    this.part = part;
    this.peers = peers;
    this.own = own;
    this.others = others;
  }

  /**
   * Opens a session.
   *
   * @param task the worker's task in the session's cluster
   * @param peers the other workers of the session's cluster
   * @param others the devices on which nodes may call functions
   */
  static WorkerSession open(
      DeviceSpec task,
      WorkerPeer.SessionPart part,
      Peers peers,
      LocalDevices devices,
      RemoteDevices others) {
    List<Resources> own =
        part.isIsolated()
            ? devices.all().stream().map(_ -> new Resources(task.job().orElse(""))).toList()
            : List.of();
    WorkerSession session = new WorkerSession(task, part, peers, own, others);
    for (int i = 0; i < devices.all().size(); i++) {
      LocalDevice local = devices.all().get(i);
      String name = DeviceSpec.parse(local.device().name()).at(task).toString();
      session.places.put(
          name,
          new NodePlacement(
              new Device(name, local.device().type()),
              own.isEmpty() ? local.resources() : own.get(i),
              others,
              session.tensors,
              local.kernels()));
    }
    return session;
  }

  WorkerPeer.SessionPart part() {
    return part;
  }

  /** The worker's task in the session's cluster. */
  DeviceSpec task() {
    return task;
  }

  SessionKernels kernels() {
    return kernels;
  }

  /** Whether this worker sends the tensor of {@code key}. */
  boolean sends(String key) {
    return places.containsKey(key.substring(0, Math.max(0, key.indexOf(';'))));
  }

  /** The worker that sends the tensor of {@code key}. */
  WorkerPeer sender(String key) {
    return senders.computeIfAbsent(
        key.substring(0, Math.max(0, key.indexOf(';'))),
        _ -> peers.of(RendezvousKey.parse(key).sendTask()));
  }

  /** The device and resources of a node; INVALID_ARGUMENT if the worker has no such device. */
  NodePlacement place(String node, String device) {
    if (device.isEmpty()) {
      throw StatusException.invalidArgument("Node '%s' is missing a device specification", node);
    }
    NodePlacement place = places.get(device);
    if (place == null) {
      place = places.get(DeviceSpec.parse(device).toString());
    }
    if (place == null) {
      throw StatusException.invalidArgument("%s unknown device.", device);
    }
    return place;
  }

  void add(String handle, GraphExecutor graph, GraphDef definition) {
    graphs.put(handle, new Registered(graph, definition));
  }

  void remove(String handle) {
    Registered removed = graphs.remove(handle);
    if (removed != null) {
      removed.graph().close();
    }
  }

  GraphExecutor graph(String handle) {
    return registered(handle).graph();
  }

  /** The graph as its master sent it. */
  GraphDef definition(String handle) {
    return registered(handle).definition();
  }

  private Registered registered(String handle) {
    Registered graph = graphs.get(handle);
    if (graph == null) {
      throw StatusException.of(StatusCode.ABORTED, "Graph handle is not found: %s", handle);
    }
    return graph;
  }

  /** Whether the session has no graphs. */
  boolean isEmpty() {
    return graphs.isEmpty();
  }

  /** Registers {@code run} as running; ABORTED if the session was closed. */
  void begin(StepRun run) {
    if (!runs.add(run)) {
      return; // a further request of a partial run
    }
    if (closed) {
      runs.remove(run);
      throw closedStatus();
    }
    var _ = run.ended().whenComplete((_, _) -> runs.remove(run));
  }

  private StatusException closedStatus() {
    return StatusException.of(
        StatusCode.ABORTED, "Session handle is not found: %s. It was ended.", part.handle());
  }

  /** Aborts the running steps and releases the session's resources when they have ended. */
  CompletableFuture<Void> close() {
    closed = true;
    List<StepRun> last = List.copyOf(runs);
    StatusException reason = closedStatus();
    last.forEach(run -> run.abort(reason));
    return CompletableFuture.allOf(
            last.stream().map(StepRun::ended).toArray(CompletableFuture[]::new))
        .thenRun(() -> {
          others.close();
          kernels.close();
          own.forEach(Resources::close);
        });
  }
}

package io.headrace.cluster.worker;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.peer.WorkerPeer.SessionPart;
import io.headrace.cluster.peer.WorkerPeer.StepPart;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.PinnedGraph;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The devices of a cluster, for functions of one task that are pinned to them: a function is
 * registered as a graph at the task of its device, and each call is a step there. The graphs are in
 * a session that this object owns, or in a given one. Thread-safe.
 */
public final class ClusterDevices implements RemoteDevices {
  private final DeviceSpec own;
  private final Peers peers;
  private final LongSupplier random;
  private final long incarnation;
  private final String session;

  /** Whether this object owns the session: creates and deletes it. */
  private final boolean isOwner;

  /** The prefix of the names of its graphs, unique in the session. */
  private final String prefix;

  private final AtomicLong numbers = new AtomicLong();
  private final Map<DeviceSpec, CompletableFuture<Map<String, DeviceAttributes>>> tasks =
      new ConcurrentHashMap<>();
  private final Map<GraphKey, CompletableFuture<Registered>> graphs = new ConcurrentHashMap<>();

  /** The key of a graph: a function and, to run it for many rows, which inputs have rows. */
  private record GraphKey(PinnedFunction function, Optional<List<Boolean>> isRows) {}

  /** A graph and its handle at its task. */
  private record Registered(String handle, PinnedGraph graph) {}

  /**
   * Uses a session of its own.
   *
   * @param own the task that calls the functions
   * @param peers the workers of its cluster
   * @param random generates unguessable numbers
   * @param incarnation the incarnation of the task
   */
  public ClusterDevices(DeviceSpec own, Peers peers, LongSupplier random, long incarnation) {
    this(
        own,
        peers,
        random,
        incarnation,
        String.format(Locale.ROOT, "pins-%016x", random.getAsLong()),
        true);
  }

  /** Uses the session {@code handle}, which exists at each task: functions see its variables. */
  static ClusterDevices inSession(
      String handle, DeviceSpec own, Peers peers, LongSupplier random, long incarnation) {
    return new ClusterDevices(own, peers, random, incarnation, handle, false);
  }

  private ClusterDevices(
      DeviceSpec own,
      Peers peers,
      LongSupplier random,
      long incarnation,
      String session,
      boolean isOwner) {
    this.own = own;
    this.peers = peers;
    this.random = random;
    this.incarnation = incarnation;
    this.session = session;
    this.isOwner = isOwner;
    this.prefix =
        isOwner ? "pin" : "remote_call_" + own.job().orElse("") + "_" + own.task().orElse(0) + "_";
  }

  @Override
  public void check(String pin) {
    var _ = device(pin);
  }

  /** The full device of {@code pin}; by default of this task, and the first CPU. */
  private DeviceSpec device(String pin) {
    DeviceSpec requested = DeviceSpec.parse(pin);
    String job = requested.job().orElseGet(() -> own.job().orElse(""));
    boolean isOwnJob = own.job().equals(Optional.of(job));
    if (!peers.cluster().jobs().contains(job)) {
      throw StatusException.invalidArgument(
          "a function is pinned to %s, and the cluster of %s has no job %s, but %s",
          pin, own, job, peers.cluster().jobs());
    }
    int task =
        requested
            .task()
            .or(() -> isOwnJob ? own.task() : Optional.empty())
            .orElseGet(() -> peers.cluster().taskIndices(job).getFirst());
    if (!peers.cluster().hasTask(job, task)) {
      throw StatusException.invalidArgument(
          "a function is pinned to %s, and the job %s has the tasks %s",
          pin, job, peers.cluster().taskIndices(job));
    }
    return new DeviceSpec(
        Optional.of(job),
        Optional.of(0),
        Optional.of(task),
        Optional.of(requested.type().orElse(Device.CPU)),
        Optional.of(requested.id().orElse(0)));
  }

  @Override
  public CompletableFuture<List<Tensor>> call(
      PinnedFunction function, List<Tensor> inputs, Cancellation cancellation) {
    return run(new GraphKey(function, Optional.empty()), inputs, cancellation);
  }

  @Override
  public CompletableFuture<List<Tensor>> callRows(
      PinnedFunction function,
      int rows,
      List<Tensor> inputs,
      List<Boolean> isRows,
      Cancellation cancellation) {
    List<Tensor> all = new ArrayList<>(inputs);
    all.add(Tensor.scalar((long) rows));
    return run(new GraphKey(function, Optional.of(List.copyOf(isRows))), all, cancellation);
  }

  /**
   * Runs a step; retries once if the task was restarted since the graph was registered there
   * (ABORTED).
   */
  private CompletableFuture<List<Tensor>> run(
      GraphKey key, List<Tensor> inputs, Cancellation cancellation) {
    DeviceSpec device = device(key.function().pin());
    return runOnce(key, device, inputs, cancellation)
        .exceptionallyCompose(failure -> {
          if (FutureWaits.status(failure).code() != StatusCode.ABORTED) {
            return CompletableFuture.failedFuture(FutureWaits.status(failure));
          }
          forget(device.taskOnly());
          return runOnce(key, device, inputs, cancellation);
        });
  }

  private CompletableFuture<List<Tensor>> runOnce(
      GraphKey key, DeviceSpec device, List<Tensor> inputs, Cancellation cancellation) {
    CompletableFuture<List<Tensor>> result =
        getOrCreate(graphs, key, () -> register(key, device))
            .thenCompose(graph -> step(graph, device.taskOnly(), inputs, cancellation));
    CompletableFuture<List<Tensor>> ended = result.copy();
    Cancellation.Registration registration =
        cancellation.onCancel(() ->
            ended.completeExceptionally(
                new StatusException(StatusCode.CANCELLED, "the operation was cancelled")));
    var _ = ended.whenComplete((_, _) -> registration.close());
    return ended;
  }

  /**
   * The value of {@code map} for {@code key}, made by {@code maker} if absent; failures are
   * removed.
   */
  private static <K, V> CompletableFuture<V> getOrCreate(
      Map<K, CompletableFuture<V>> map, K key, Supplier<CompletableFuture<V>> maker) {
    CompletableFuture<V> mine = new CompletableFuture<>();
    CompletableFuture<V> known = map.putIfAbsent(key, mine);
    if (known != null) {
      return known;
    }
    CompletableFuture<V> made;
    try {
      made = maker.get();
    } catch (StatusException e) {
      made = CompletableFuture.failedFuture(e);
    }
    var _ =
        made.whenComplete((value, failure) -> {
          if (failure == null) {
            mine.complete(value);
          } else {
            map.remove(key, mine);
            mine.completeExceptionally(FutureWaits.status(failure));
          }
        });
    return mine;
  }

  private void forget(DeviceSpec task) {
    tasks.remove(task);
    graphs.keySet().removeIf(key -> device(key.function().pin()).taskOnly().equals(task));
  }

  private CompletableFuture<Registered> register(GraphKey key, DeviceSpec device) {
    DeviceSpec task = device.taskOnly();
    return getOrCreate(tasks, task, () -> begin(task))
        .thenCompose(devices -> {
          DeviceAttributes target = devices.get(device.toString());
          if (target == null) {
            throw StatusException.invalidArgument(
                "a function is pinned to %s, and that task has the devices %s",
                device, devices.keySet());
          }
          PinnedGraph graph =
              PinnedGraph.of(
                  prefix + numbers.incrementAndGet(),
                  new DeviceSet.ClusterDevice(device, target, task.equals(own)),
                  key.function(),
                  key.isRows());
          return peers
              .of(task)
              .registerGraph(session, graph.definition(), ConfigProto.getDefaultInstance())
              .thenApply(handle -> new Registered(handle, graph));
        });
  }

  /**
   * Creates the session at {@code task}, if it is owned.
   *
   * @return the task's devices by name
   */
  private CompletableFuture<Map<String, DeviceAttributes>> begin(DeviceSpec task) {
    WorkerPeer peer = peers.of(task);
    SessionPart part =
        new SessionPart(
            session,
            ServerDef.newBuilder()
                .setProtocol("grpc")
                .setJobName(task.job().orElse(""))
                .setTaskIndex(task.task().orElse(0))
                .build(),
            true,
            own.toString(),
            incarnation);
    return awaitDevices(task, peer)
        .thenCompose(devices ->
            (isOwner ? peer.createSession(part) : CompletableFuture.<Void>completedFuture(null))
                .thenApply(_ -> byName(task, devices)));
  }

  /**
   * The devices of {@code task}, which need not be up yet; UNAVAILABLE if it does not answer within
   * the peer timeout.
   */
  private CompletableFuture<List<DeviceAttributes>> awaitDevices(DeviceSpec task, WorkerPeer peer) {
    Duration timeout = peers.timeout();
    Cancellation unanswered = new Cancellation();
    return peer.status(unanswered)
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .exceptionallyCompose(failure -> {
          unanswered.cancel();
          return CompletableFuture.failedFuture(
              failure instanceof TimeoutException
                  ? StatusException.of(
                      StatusCode.UNAVAILABLE,
                      "the task %s at %s, to which a function is pinned, did not answer for %d ms:"
                          + " it is not up, or is cut off",
                      task,
                      peers.address(task),
                      timeout.toMillis())
                  : failure);
        });
  }

  private static Map<String, DeviceAttributes> byName(
      DeviceSpec task, List<DeviceAttributes> devices) {
    Map<String, DeviceAttributes> byName = new HashMap<>();
    DeviceSet.of(task, devices, false)
        .forEach(device -> byName.put(device.name(), device.attributes()));
    return byName;
  }

  private CompletableFuture<List<Tensor>> step(
      Registered registered, DeviceSpec task, List<Tensor> inputs, Cancellation cancellation) {
    WorkerPeer peer = peers.of(task);
    long step = random.getAsLong() >>> 1;
    List<String> fetches = registered.graph().fetches();
    StepPart part =
        new StepPart(
            session,
            registered.handle(),
            step,
            registered.graph().fed(inputs),
            fetches,
            false,
            true,
            false);
    return peer.runGraph(part, cancellation)
        .whenComplete((_, _) -> {
          var _ = peer.cleanupGraph(step).exceptionally(_ -> null);
        })
        .thenApply(result -> fetches.stream().map(result.fetched()::get).toList());
  }

  /** Deletes an owned session at all tasks. Idempotent. */
  @Override
  public void close() {
    tasks.forEach((task, begun) -> {
      if (isOwner && begun.isDone() && !begun.isCompletedExceptionally()) {
        var _ = peers.of(task).deleteSession(session).exceptionally(_ -> null);
      }
    });
    tasks.clear();
    graphs.clear();
  }
}

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
 * The devices of a cluster, as functions of one of its tasks use them: each function is registered
 * as a graph at the task of its device, and each call is a step there; in a session of their own,
 * or in one that there is. Thread-safe.
 */
public final class TaskDevices implements RemoteDevices {
  private final DeviceSpec own;
  private final Peers peers;
  private final LongSupplier random;
  private final long incarnation;
  private final String session;

  /** Whether the session is its own, which it begins and ends. */
  private final boolean isOwner;

  /** What no other's graphs in the session are called. */
  private final String prefix;

  private final AtomicLong numbers = new AtomicLong();
  private final Map<DeviceSpec, CompletableFuture<Map<String, DeviceAttributes>>> tasks =
      new ConcurrentHashMap<>();
  private final Map<Form, CompletableFuture<Registered>> graphs = new ConcurrentHashMap<>();

  /** What a graph is made for: a function, and which inputs have rows if it is run for rows. */
  private record Form(PinnedFunction function, Optional<List<Boolean>> isRows) {}

  /** A graph at a task. */
  private record Registered(String handle, PinnedGraph graph) {}

  /**
   * In a session of their own.
   *
   * @param own the task
   * @param peers the workers of its cluster
   * @param random gives numbers that nobody guesses
   * @param incarnation which life of the task this is
   */
  public TaskDevices(DeviceSpec own, Peers peers, LongSupplier random, long incarnation) {
    this(
        own,
        peers,
        random,
        incarnation,
        String.format(Locale.ROOT, "pins-%016x", random.getAsLong()),
        true);
  }

  /**
   * In the session {@code handle}, of which each task has its part: functions see its variables.
   */
  static TaskDevices inSession(
      String handle, DeviceSpec own, Peers peers, LongSupplier random, long incarnation) {
    return new TaskDevices(own, peers, random, incarnation, handle, false);
  }

  private TaskDevices(
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

  /** The device that {@code pin} means: what it leaves open is this task's, and the first CPU. */
  private DeviceSpec device(String pin) {
    DeviceSpec asked = DeviceSpec.parse(pin);
    String job = asked.job().orElseGet(() -> own.job().orElse(""));
    boolean isOwnJob = own.job().equals(Optional.of(job));
    if (!peers.cluster().jobs().contains(job)) {
      throw StatusException.invalidArgument(
          "a function is pinned to %s, and the cluster of %s has no job %s, but %s",
          pin, own, job, peers.cluster().jobs());
    }
    int task =
        asked
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
        Optional.of(asked.type().orElse(Device.CPU)),
        Optional.of(asked.id().orElse(0)));
  }

  @Override
  public CompletableFuture<List<Tensor>> call(
      PinnedFunction function, List<Tensor> inputs, Cancellation cancellation) {
    return run(new Form(function, Optional.empty()), inputs, cancellation);
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
    return run(new Form(function, Optional.of(List.copyOf(isRows))), all, cancellation);
  }

  /** Runs a step; once more if the task was restarted since the graph was registered there. */
  private CompletableFuture<List<Tensor>> run(
      Form form, List<Tensor> inputs, Cancellation cancellation) {
    DeviceSpec device = device(form.function().pin());
    return runOnce(form, device, inputs, cancellation)
        .exceptionallyCompose(failure -> {
          if (FutureWaits.status(failure).code() != StatusCode.ABORTED) {
            return CompletableFuture.failedFuture(FutureWaits.status(failure));
          }
          forget(device.taskOnly());
          return runOnce(form, device, inputs, cancellation);
        });
  }

  private CompletableFuture<List<Tensor>> runOnce(
      Form form, DeviceSpec device, List<Tensor> inputs, Cancellation cancellation) {
    CompletableFuture<List<Tensor>> result =
        kept(graphs, form, () -> register(form, device))
            .thenCompose(graph -> step(graph, device.taskOnly(), inputs, cancellation));
    CompletableFuture<List<Tensor>> ended = result.copy();
    Cancellation.Registration registration =
        cancellation.onCancel(() ->
            ended.completeExceptionally(
                new StatusException(StatusCode.CANCELLED, "the operation was cancelled")));
    var _ = ended.whenComplete((_, _) -> registration.close());
    return ended;
  }

  /** What {@code map} holds for {@code key}, or what {@code maker} makes; failures are not kept. */
  private static <K, V> CompletableFuture<V> kept(
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
    graphs.keySet().removeIf(form -> device(form.function().pin()).taskOnly().equals(task));
  }

  private CompletableFuture<Registered> register(Form form, DeviceSpec device) {
    DeviceSpec task = device.taskOnly();
    return kept(tasks, task, () -> begin(task))
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
                  form.function(),
                  form.isRows());
          return peers
              .of(task)
              .registerGraph(session, graph.definition(), ConfigProto.getDefaultInstance())
              .thenApply(handle -> new Registered(handle, graph));
        });
  }

  /** Begins the session at {@code task}; its devices by name. */
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
    return firstSign(task, peer)
        .thenCompose(devices ->
            (isOwner ? peer.createSession(part) : CompletableFuture.<Void>completedFuture(null))
                .thenApply(_ -> named(task, devices)));
  }

  /**
   * The devices of {@code task}; UNAVAILABLE if it does not answer within the time that peers have.
   * It need not be up yet.
   */
  private CompletableFuture<List<DeviceAttributes>> firstSign(DeviceSpec task, WorkerPeer peer) {
    Duration patience = peers.timeout();
    Cancellation unanswered = new Cancellation();
    return peer.status(unanswered)
        .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
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
                      patience.toMillis())
                  : failure);
        });
  }

  private static Map<String, DeviceAttributes> named(
      DeviceSpec task, List<DeviceAttributes> devices) {
    Map<String, DeviceAttributes> named = new HashMap<>();
    DeviceSet.of(task, devices, false)
        .forEach(device -> named.put(device.name(), device.attributes()));
    return named;
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

  /** Ends the session everywhere, if it is its own. Idempotent. */
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

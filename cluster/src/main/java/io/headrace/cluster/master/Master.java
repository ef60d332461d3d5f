package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Membership;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.ShutdownGate;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.peer.WorkerPeer.SessionPart;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.worker.LocalDevices;
import io.headrace.cluster.worker.StepWorker;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The master of a server: it keeps the sessions that clients open. Thread-safe. */
public final class Master {
  private static final Logger LOGGER = System.getLogger(Master.class.getName());

  private final ServerDef server;
  private final DeviceSpec task;
  private final LocalDevices devices;
  private final StepWorker worker;
  private final Peers peers;
  private final MasterHost host;
  private final ShutdownGate stopping;
  private final Map<String, MasterSession> sessions = new ConcurrentHashMap<>();

  /**
   * @param stopping refuses new sessions and steps once the server stops
   */
  public Master(
      ServerDef server,
      LocalDevices devices,
      StepWorker worker,
      Peers peers,
      MasterHost host,
      ShutdownGate stopping) {
    this.server = server;
    this.task = DeviceSpec.ofTask(server.getJobName(), server.getTaskIndex());
    this.devices = devices;
    this.worker = worker;
    this.peers = peers;
    this.host = host;
    this.stopping = stopping;
  }

  /**
   * Opens a session.
   *
   * @param target the target under which the client reached this server
   * @return the session's handle
   * @throws StatusException UNAVAILABLE if the server stops before the session is open
   */
  public String createSession(
      GraphDef graph, ConfigProto asked, String target, Cancellation client) {
    stopping.check();
    try (ShutdownGate.Both ends = stopping.or(client)) {
      return open(graph, asked, target, ends.either());
    } catch (StatusException e) {
      stopping.check(); // the failure may be a consequence of the stop
      throw e;
    }
  }

  private String open(GraphDef graph, ConfigProto asked, String target, Cancellation cancellation) {
    ConfigProto config =
        server.getDefaultSessionConfig().toBuilder()
            .mergeFrom(asked)
            .mergeFrom(server.getDefaultSessionConfig())
            .build();
    if (config.getSessionInterOpThreadPoolCount() > 0 || config.getUsePerSessionThreads()) {
      throw StatusException.invalidArgument(
          "Distributed session does not support session thread pool options.");
    }
    if (config.getGraphOptions().getPlacePrunedGraph()) {
      LOGGER.log(
          Level.WARNING, "place_pruned_graph is ignored: sessions of servers place whole graphs");
    }
    Membership membership = Membership.of(server, config, target, peers, worker);
    List<String> filters = config.getDeviceFiltersList();
    Map<DeviceSpec, WorkerPeer> workers = membership.workers(filters);
    DeviceSet found =
        DeviceDiscovery.devices(
                membership.self(), workers, config.getOperationTimeoutInMs(), host, cancellation)
            .filtered(filters);
    String handle = String.format(Locale.ROOT, "%016x", host.random().getAsLong());
    MasterSession session =
        MasterSession.create(
            graph,
            new MasterSession.Setting(
                handle,
                config,
                workers,
                new SessionGraph.Setting(host.ops(), found, config.getAllowSoftPlacement())),
            host);
    try {
      createWorkerSessions(handle, membership, workers, config);
    } catch (StatusException e) {
      session.close();
      throw e;
    }
    sessions.put(handle, session);
    try {
      stopping.check();
    } catch (StatusException e) {
      if (sessions.remove(handle, session)) {
        session.close();
      }
      throw e;
    }
    return handle;
  }

  private void createWorkerSessions(
      String handle,
      Membership membership,
      Map<DeviceSpec, WorkerPeer> workers,
      ConfigProto config) {
    boolean isIsolated =
        config.getIsolateSessionState()
            || (membership.isPropagated()
                && !config.getExperimental().getShareSessionStateInClusterspecPropagation());
    List<CompletableFuture<Void>> created = new ArrayList<>();
    workers.forEach((peer, stub) -> {
      SessionPart part =
          new SessionPart(
              handle,
              membership.serverDef(peer),
              isIsolated,
              membership.self().toString(),
              devices.first().incarnation());
      created.add(attempt(() -> stub.createSession(part)));
    });
    FutureWaits.awaitAll(created);
  }

  private static <T> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (StatusException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The session {@code handle}, marked as used; ABORTED if it is unknown. */
  public MasterSession session(String handle) {
    MasterSession session = sessions.get(handle);
    if (session == null) {
      throw StatusException.of(StatusCode.ABORTED, "Session %s is not found.", handle);
    }
    session.touch();
    return session;
  }

  /** The session {@code handle}, for a new step or graph; UNAVAILABLE if the server stops. */
  MasterSession sessionForMore(String handle) {
    stopping.check();
    return session(handle);
  }

  /** Closes a session. */
  public void closeSession(String handle) {
    MasterSession session = sessions.remove(handle);
    if (session == null) {
      throw new StatusException(StatusCode.ABORTED, missing(handle));
    }
    session.close();
  }

  private static String missing(String handle) {
    return "Session " + handle + " is not found. Possibly, this master has restarted.";
  }

  /** The devices of a session, or of the cluster if {@code handle} is empty. */
  DeviceSet listDevices(String handle, Cancellation cancellation) {
    if (handle.isEmpty()) {
      Membership membership =
          Membership.of(server, ConfigProto.getDefaultInstance(), "", peers, worker);
      long timeout = server.getDefaultSessionConfig().getOperationTimeoutInMs();
      return DeviceDiscovery.devices(
          task, membership.workers(List.of()), timeout, host, cancellation);
    }
    MasterSession session = sessions.get(handle);
    if (session == null) {
      throw StatusException.invalidArgument("%s", missing(handle));
    }
    return session.devices();
  }

  /** Removes all sessions, clears containers at all workers, and then closes the sessions. */
  void reset(List<String> containers, List<String> filters) {
    List<MasterSession> ended = takeAll();
    Membership membership =
        Membership.of(server, ConfigProto.getDefaultInstance(), "", peers, worker);
    List<CompletableFuture<Void>> cleaned = new ArrayList<>();
    membership
        .workers(filters)
        .forEach((_, stub) -> cleaned.add(attempt(() -> stub.cleanupAll(containers))));
    @Nullable StatusException failure = null;
    try {
      FutureWaits.awaitAll(cleaned);
    } catch (StatusException e) {
      failure = e;
    }
    ended.forEach(MasterSession::close);
    if (failure != null) {
      throw failure;
    }
  }

  private List<MasterSession> takeAll() {
    List<MasterSession> taken = new ArrayList<>();
    for (String handle : List.copyOf(sessions.keySet())) {
      MasterSession session = sessions.remove(handle);
      if (session != null) {
        taken.add(session);
      }
    }
    return taken;
  }

  /** Closes the sessions that were idle for {@code nanos}. */
  public void closeUnused(long nanos) {
    sessions.forEach((handle, session) -> {
      if (session.isUnusedFor(nanos) && sessions.remove(handle, session)) {
        LOGGER.log(Level.INFO, "session {0} was unused for too long, and is closed", handle);
        session.close();
      }
    });
  }

  /** The number of running steps. */
  public int runningSteps() {
    return sessions.values().stream().mapToInt(MasterSession::runningSteps).sum();
  }

  /** Completes when the steps that are running now have ended. */
  public CompletableFuture<Void> stepsEnded() {
    return CompletableFuture.allOf(
        sessions.values().stream()
            .map(MasterSession::stepsEnded)
            .toArray(CompletableFuture[]::new));
  }

  /** Closes all sessions; their steps fail with {@code why}. */
  public void close(StatusException why) {
    FutureWaits.awaitAll(
        takeAll().stream()
            .map(session -> CompletableFuture.runAsync(() -> session.close(why), host.threads()))
            .toList());
  }
}

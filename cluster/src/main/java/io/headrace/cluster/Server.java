package io.headrace.cluster;

import io.grpc.ServerServiceDefinition;
import io.headrace.cluster.master.Master;
import io.headrace.cluster.master.MasterGrpcService;
import io.headrace.cluster.master.MasterHost;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.ServedCalls;
import io.headrace.cluster.peer.Stopping;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.cluster.spec.TaskAddress;
import io.headrace.cluster.worker.LocalDevice;
import io.headrace.cluster.worker.LocalDevices;
import io.headrace.cluster.worker.StepWorker;
import io.headrace.cluster.worker.TaskDevices;
import io.headrace.cluster.worker.WorkerGrpcService;
import io.headrace.proto.tensorflow.ClusterDef;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A task of a cluster, as {@code tf.distribute.Server}: a master, on which clients open sessions,
 * and a worker, which runs parts of sessions on its devices.
 *
 * <p>A server that was made holds its port; requests wait until it is started. Several may be in
 * one process. Other services may share its port: {@link #attach}. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Server.class.getName());
  private static final Duration LONGEST_COLLECTION_PERIOD = Duration.ofSeconds(10);

  /** For replies to be sent, and for what was aborted to end. */
  private static final Duration ENDING = Duration.ofSeconds(5);

  private static final String SERVED =
      "this server serves sessions (tf.compat.v1.Session with its target)";

  /** What stock servers serve besides, and what to use here. */
  private static final Map<String, String> UNSERVED =
      Map.of(
          "tensorflow.eager.EagerService",
          SERVED + ", not the eager execution of other processes' operations",
          "tensorflow.CoordinationService",
          SERVED + ", whose tasks need no coordination service",
          "tensorflow.ProfilerService",
          SERVED + "; steps are timed by RunOptions.FULL_TRACE");

  /** Where in its life a server is. */
  private enum Stage {
    /** It holds its port, and requests wait. */
    NEW,
    /** It serves. */
    STARTED,
    /** It is over. */
    STOPPED
  }

  /** Services that share the port of a server, such as those of a data worker. */
  public interface Guest {
    /** What it answers; asked for once, when it is attached. */
    List<ServerServiceDefinition> services();

    /** Ends it, for the server stops. Called again it does no harm. */
    void stop();
  }

  private final ServerDef definition;
  private final String target;
  private final Duration stopTimeout;
  private final Stopping stopping;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final LocalDevices devices;
  private final Master master;
  private final StepWorker worker;
  private final Peers peers;
  private final LongSupplier random;
  private final Peers.Connections connections;
  private final GrpcServer grpc;
  private final ExecutorService kernelThreads;
  private final ExecutorService callThreads;
  private final ScheduledExecutorService timer;
  private final CompletableFuture<Void> started;
  private @Nullable Guest guest;
  private Stage stage = Stage.NEW;

  /**
   * Makes a server and binds its port, without starting it.
   *
   * @throws StatusException as TensorFlow's: INTERNAL if its job or task are not in its cluster,
   *     NOT_FOUND for a protocol other than grpc, INVALID_ARGUMENT for an address that is none,
   *     UNKNOWN if the port can't be had
   */
  public Server(ServerDef definition, ServerHost host) {
    TaskAddress address = ServerDefs.check(definition);
    this.definition = definition;
    DeviceSpec task = DeviceSpec.ofTask(definition.getJobName(), definition.getTaskIndex());
    this.stopping = new Stopping(task);
    this.devices =
        LocalDevices.create(task, definition.getDefaultSessionConfig(), host.random()::nextLong);
    this.kernelThreads =
        Executors.newFixedThreadPool(
            host.kernelThreads(), Thread.ofPlatform().daemon().name("kernels-", 0).factory());
    this.callThreads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("session-", 0).factory());
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("session-timer").factory());
    this.connections = new Peers.Connections(timer, host.timeouts().peer());
    this.random = host.random()::nextLong;
    this.peers = new Peers(ClusterSpec.of(definition.getCluster()), connections);
    this.worker =
        new StepWorker(
            task,
            devices,
            host.ops(),
            new Threads(kernelThreads, host.ticker()),
            SystemTicker.INSTANCE,
            peers,
            random);
    this.master =
        new Master(
            definition,
            devices,
            worker,
            peers,
            new MasterHost(host.ops(), host.random()::nextLong, host.ticker(), timer, callThreads),
            stopping);
    this.stopTimeout = host.timeouts().stop();
    collectSessions(host.timeouts().session());
    this.started = new CompletableFuture<>();
    ServedCalls calls = new ServedCalls(started, callThreads);
    WorkerGrpcService workerService = new WorkerGrpcService(worker, calls, stopping);
    this.grpc =
        bind(
            address,
            GrpcServerConfig.onPort(address.port())
                .withReceiveBudget(host.receiveBudget())
                .withShortWaits(),
            List.of(
                new MasterGrpcService(master, calls).bindService(),
                workerService.definition(),
                workerService.partsDefinition()));
    this.target = GrpcTargets.ofAddress(address.hostOrLocal() + ":" + grpc.port());
  }

  private void collectSessions(Duration timeout) {
    if (timeout.isPositive()) {
      long nanos = timeout.toNanos();
      long period = Math.max(1, Math.min(nanos / 2, LONGEST_COLLECTION_PERIOD.toNanos()));
      var _ =
          timer.scheduleWithFixedDelay(
              () -> callThreads.execute(() -> master.closeUnused(nanos)),
              period,
              period,
              TimeUnit.NANOSECONDS);
    }
  }

  private GrpcServer bind(
      TaskAddress address, GrpcServerConfig config, List<ServerServiceDefinition> services) {
    try {
      return GrpcServer.start(config, services, UNSERVED);
    } catch (StatusException e) {
      endThreads();
      throw new StatusException(
          StatusCode.UNKNOWN,
          "Could not start gRPC server at %s:%d: %s"
              .formatted(address.hostOrLocal(), address.port(), e.message()),
          e);
    }
  }

  /**
   * Makes the server of {@code definition} in this process, without starting it; what {@code
   * overrides} says comes before what the definition does.
   */
  public static Server create(ServerDef definition, Overrides overrides) {
    return new Server(ServerDefs.of(definition, overrides), ServerHost.ofProcess());
  }

  /**
   * Makes the server of a task of {@code cluster} in this process, without starting it.
   *
   * @param overrides which task it is, unless there is one alone, and how it is configured
   * @throws StatusException INVALID_ARGUMENT if that leaves open which task it is; what the
   *     constructor throws
   */
  public static Server create(ClusterSpec cluster, Overrides overrides) {
    return new Server(ServerDefs.of(cluster, overrides), ServerHost.ofProcess());
  }

  /** The same of TensorFlow's message. */
  public static Server create(ClusterDef cluster, Overrides overrides) {
    return create(ClusterSpec.of(cluster), overrides);
  }

  /**
   * Makes the one task of a cluster of its own, at any free port, without starting it; {@code
   * config} has the defaults of its sessions, and how many devices it has.
   */
  public static Server createLocal(ConfigProto config) {
    return create(ServerDefs.local(config), Overrides.NONE);
  }

  /** Makes and starts the server of {@code definition} in this process. */
  public static Server start(ServerDef definition) {
    return start(definition, Overrides.NONE);
  }

  /** Starts what {@link #create(ServerDef, Overrides)} makes. */
  public static Server start(ServerDef definition, Overrides overrides) {
    return started(create(definition, overrides));
  }

  /** Starts what {@link #create(ClusterSpec, Overrides)} makes. */
  public static Server start(ClusterSpec cluster, Overrides overrides) {
    return started(create(cluster, overrides));
  }

  /** Starts what {@link #create(ClusterDef, Overrides)} makes. */
  public static Server start(ClusterDef cluster, Overrides overrides) {
    return started(create(cluster, overrides));
  }

  /** Makes and starts the server of a task of {@code cluster} in this process. */
  public static Server start(ClusterSpec cluster, String jobName, int taskIndex) {
    return start(cluster, Overrides.task(jobName, taskIndex));
  }

  /** Makes and starts the one task of a cluster of its own, at any free port. */
  public static Server startLocal() {
    return startLocal(ConfigProto.getDefaultInstance());
  }

  /** Starts what {@link #createLocal} makes. */
  public static Server startLocal(ConfigProto config) {
    return started(createLocal(config));
  }

  private static Server started(Server server) {
    server.start();
    return server;
  }

  /** What it was made from. */
  public ServerDef serverDef() {
    return definition;
  }

  /** What clients open sessions on: {@code grpc://host:port}. */
  public String target() {
    return target;
  }

  /** The port that it holds. */
  public int port() {
    return grpc.port();
  }

  /** Its devices; the first is the one that clients meet. */
  public List<Device> devices() {
    return devices.all().stream().map(LocalDevice::device).toList();
  }

  /**
   * The devices of its cluster, for functions that run here and have parts that are pinned to
   * others. The caller closes what it is given.
   */
  public RemoteDevices remoteDevices() {
    DeviceSpec task = DeviceSpec.ofTask(definition.getJobName(), definition.getTaskIndex());
    return new TaskDevices(task, peers, random, devices.first().incarnation());
  }

  /**
   * Lets {@code newGuest} answer at the server's port, from now on and until the server stops,
   * which stops the guest first. Its services stay after it is detached, to tell callers that it is
   * gone, until another guest brings such.
   *
   * @throws StatusException FAILED_PRECONDITION if the server was stopped; ALREADY_EXISTS if it has
   *     a guest
   */
  public void attach(Guest newGuest) {
    List<ServerServiceDefinition> services = newGuest.services();
    synchronized (this) {
      checkNotStopped();
      if (guest != null) {
        throw new StatusException(
            StatusCode.ALREADY_EXISTS,
            "the server at " + target + " has a data worker; stop that first");
      }
      guest = newGuest;
    }
    grpc.add(services);
  }

  /** Makes room for another guest. Does nothing unless {@code oldGuest} is the one that it has. */
  public synchronized void detach(Guest oldGuest) {
    if (oldGuest.equals(guest)) {
      guest = null;
    }
  }

  private void checkNotStopped() {
    if (stage == Stage.STOPPED) {
      throw new StatusException(StatusCode.FAILED_PRECONDITION, "Server has stopped.");
    }
  }

  /** Begins to serve; does nothing if it does. FAILED_PRECONDITION if it was stopped. */
  public void start() {
    synchronized (this) {
      checkNotStopped();
      if (stage == Stage.STARTED) {
        return;
      }
      stage = Stage.STARTED;
    }
    started.completeAsync(() -> null, callThreads);
    LOGGER.log(Level.INFO, "Started server with target: {0}", target);
  }

  /** Blocks until it was stopped. */
  public void join() throws InterruptedException {
    stopped.await();
  }

  /**
   * Stops its guest, takes no new sessions and steps any more (UNAVAILABLE), lets the steps that
   * run end within {@link ServerHost.Timeouts#stop}, ends those that do not (ABORTED, after which
   * TensorFlow's clients open a new session, as after UNAVAILABLE), lets go of its port, and frees
   * what it holds. The steps are those that were begun on it and those of other tasks' sessions
   * that it has a part in; a partial run is one of them. Called again it waits for the first call
   * and does nothing. Interrupted, it waits no longer.
   */
  public void stop() {
    @Nullable Guest last;
    boolean isFirst;
    synchronized (this) {
      isFirst = stage != Stage.STOPPED;
      stage = Stage.STOPPED;
      last = guest;
    }
    if (isFirst) {
      stopOnce(last);
    } else {
      awaitStopped();
    }
  }

  private void stopOnce(@Nullable Guest last) {
    try {
      if (last != null) {
        last.stop();
      }
      drain();
      grpc.stop(ENDING);
      worker.close(ENDING);
      connections.close();
      devices.close();
    } finally {
      endThreads();
      stopped.countDown();
    }
  }

  /** How many steps run that were begun on it or have a part here; those of both count twice. */
  int runningSteps() {
    return master.runningSteps() + worker.runningSteps();
  }

  /** Waits for the steps that run, for so long at most, and ends what is left. */
  private void drain() {
    stopping.begin();
    if (runningSteps() > 0) {
      LOGGER.log(
          Level.INFO,
          "{0} stops: waiting up to {1} ms for the steps that run",
          target,
          String.valueOf(stopTimeout.toMillis()));
    }
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(master.stepsEnded(), worker.stepsEnded());
    if (!FutureWaits.awaitEnd(ended, stopTimeout)) {
      LOGGER.log(
          Level.WARNING,
          "{0} stops: steps that did not end within {1} ms are aborted",
          target,
          String.valueOf(stopTimeout.toMillis()));
    }
    StatusException why =
        StatusException.of(
            StatusCode.ABORTED,
            "the server at %s stops, and the step did not end within %d ms; it can be run in a"
                + " new session on another server, or on this one once it is started again",
            target,
            stopTimeout.toMillis());
    master.close(why);
    worker.abort(why);
  }

  private void awaitStopped() {
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void endThreads() {
    timer.shutdownNow();
    callThreads.shutdown();
    kernelThreads.shutdown();
  }

  @Override
  public void close() {
    stop();
  }
}

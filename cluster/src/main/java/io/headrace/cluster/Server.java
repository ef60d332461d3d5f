package io.headrace.cluster;

import io.grpc.ServerServiceDefinition;
import io.headrace.cluster.master.Master;
import io.headrace.cluster.master.MasterGrpcService;
import io.headrace.cluster.master.MasterHost;
import io.headrace.cluster.peer.CallExecutor;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.ShutdownGate;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.spec.ServerDefs.Overrides;
import io.headrace.cluster.spec.TaskAddress;
import io.headrace.cluster.worker.ClusterDevices;
import io.headrace.cluster.worker.LocalDevice;
import io.headrace.cluster.worker.LocalDevices;
import io.headrace.cluster.worker.StepWorker;
import io.headrace.cluster.worker.WorkerGrpcService;
import io.headrace.proto.tensorflow.ClusterDef;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.device.Cleanup;
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
 * and a worker, which runs the task's partitions of their steps on its devices.
 *
 * <p>A server binds its port when it is created; requests wait until it is started. A process may
 * have several servers. A {@link Guest} adds services to the port: {@link #attach}. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Server.class.getName());
  private static final Duration LONGEST_COLLECTION_PERIOD = Duration.ofSeconds(10);

  /** How long stop() waits for the replies to be sent and for aborted steps to end. */
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);

  private static final String SERVED =
      "this server serves sessions (tf.compat.v1.Session with its target)";

  /**
   * Services of stock servers that this server lacks, each with a message that names the
   * alternative.
   */
  private static final Map<String, String> UNSERVED =
      Map.of(
          "tensorflow.eager.EagerService",
          SERVED + ", not the eager execution of other processes' operations",
          "tensorflow.CoordinationService",
          SERVED + ", whose tasks need no coordination service",
          "tensorflow.ProfilerService",
          SERVED + "; steps are timed by RunOptions.FULL_TRACE");

  /** The life cycle of a server. */
  private enum Stage {
    /** The port is bound; requests wait. */
    NEW,
    /** Requests are served. */
    STARTED,
    /** {@link #stop} was called. */
    STOPPED
  }

  /** Services that share the port of a server, such as those of a data worker. */
  public interface Guest {
    /** The guest's services. Called once, by {@link #attach}. */
    List<ServerServiceDefinition> services();

    /** Stops the guest, because the server stops. Idempotent. */
    void stop();
  }

  private final ServerDef definition;
  private final String target;
  private final Duration stopTimeout;
  private final ShutdownGate stopping;
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
   * Creates a server and binds its port, without starting it.
   *
   * @throws StatusException as TensorFlow's: INTERNAL if its job or task are not in its cluster,
   *     NOT_FOUND for a protocol other than grpc, INVALID_ARGUMENT for a malformed address, UNKNOWN
   *     if the port can't be bound
   */
  public Server(ServerDef definition, ServerHost host) {
    TaskAddress address = ServerDefs.check(definition);
    this.definition = definition;
    DeviceSpec task = DeviceSpec.ofTask(definition.getJobName(), definition.getTaskIndex());
    this.stopping = new ShutdownGate(task);
    this.devices =
        LocalDevices.create(
            task,
            definition.getDefaultSessionConfig(),
            host.random()::nextLong,
            host.accelerators().apply(definition.getDefaultSessionConfig()));
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
    CallExecutor calls = new CallExecutor(started, callThreads);
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
      StatusException failure =
          new StatusException(
              StatusCode.UNKNOWN,
              "Could not start gRPC server at %s:%d: %s"
                  .formatted(address.hostOrLocal(), address.port(), e.message()),
              e);
      Cleanup.after(failure, this::endThreads);
      Cleanup.after(failure, devices::close);
      throw failure;
    }
  }

  /**
   * Creates the server of {@code definition} in this process, without starting it; {@code
   * overrides} take precedence over the definition.
   */
  public static Server create(ServerDef definition, Overrides overrides) {
    return new Server(ServerDefs.of(definition, overrides), ServerHost.ofProcess());
  }

  /**
   * Creates the server of a task of {@code cluster} in this process, without starting it.
   *
   * @param overrides the task, required unless the cluster has only one, and the configuration
   * @throws StatusException INVALID_ARGUMENT if the task is ambiguous; the failures of the
   *     constructor
   */
  public static Server create(ClusterSpec cluster, Overrides overrides) {
    return new Server(ServerDefs.of(cluster, overrides), ServerHost.ofProcess());
  }

  /** Creates the server of a task of a cluster given as TensorFlow's message. */
  public static Server create(ClusterDef cluster, Overrides overrides) {
    return create(ClusterSpec.of(cluster), overrides);
  }

  /**
   * Creates the only task of a local cluster, at any free port, without starting it; {@code config}
   * holds the defaults of its sessions and the number of its devices.
   */
  public static Server createLocal(ConfigProto config) {
    return create(ServerDefs.local(config), Overrides.NONE);
  }

  /** Creates and starts the server of {@code definition} in this process. */
  public static Server start(ServerDef definition) {
    return start(definition, Overrides.NONE);
  }

  /** Creates a server as {@link #create(ServerDef, Overrides)} does and starts it. */
  public static Server start(ServerDef definition, Overrides overrides) {
    return started(create(definition, overrides));
  }

  /** Creates a server as {@link #create(ClusterSpec, Overrides)} does and starts it. */
  public static Server start(ClusterSpec cluster, Overrides overrides) {
    return started(create(cluster, overrides));
  }

  /** Creates a server as {@link #create(ClusterDef, Overrides)} does and starts it. */
  public static Server start(ClusterDef cluster, Overrides overrides) {
    return started(create(cluster, overrides));
  }

  /** Creates and starts the server of a task of {@code cluster} in this process. */
  public static Server start(ClusterSpec cluster, String jobName, int taskIndex) {
    return start(cluster, Overrides.task(jobName, taskIndex));
  }

  /** Creates and starts the only task of a local cluster, at any free port. */
  public static Server startLocal() {
    return startLocal(ConfigProto.getDefaultInstance());
  }

  /** Creates a server as {@link #createLocal} does and starts it. */
  public static Server startLocal(ConfigProto config) {
    return started(createLocal(config));
  }

  private static Server started(Server server) {
    server.start();
    return server;
  }

  /** The definition of this server, with its overrides. */
  public ServerDef serverDef() {
    return definition;
  }

  /** The target on which clients open sessions: {@code grpc://host:port}. */
  public String target() {
    return target;
  }

  /** The bound port. */
  public int port() {
    return grpc.port();
  }

  /** The devices of this task; the first is the task's default device. */
  public List<Device> devices() {
    return devices.all().stream().map(LocalDevice::device).toList();
  }

  /**
   * The devices of the cluster, for functions that run in this process and have nodes pinned to
   * other tasks. The caller closes it.
   */
  public RemoteDevices remoteDevices() {
    DeviceSpec task = DeviceSpec.ofTask(definition.getJobName(), definition.getTaskIndex());
    return new ClusterDevices(task, peers, random, devices.first().incarnation());
  }

  /**
   * Serves {@code newGuest} at the server's port until the server stops; the server stops the guest
   * first. Its services stay registered after it is detached, so that callers get the guest's own
   * failure, until another guest registers services of the same names.
   *
   * @throws StatusException FAILED_PRECONDITION if the server was stopped; ALREADY_EXISTS if
   *     another guest is attached
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

  /**
   * Detaches {@code oldGuest}, so that another guest can attach. No effect if it is not attached.
   */
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

  /**
   * Starts serving. No effect on a started server; FAILED_PRECONDITION if the server was stopped.
   */
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

  /** Blocks until the server has stopped. */
  public void join() throws InterruptedException {
    stopped.await();
  }

  /**
   * Stops the server: stops the guest, refuses new sessions and steps (UNAVAILABLE), waits up to
   * {@link ServerHost.Timeouts#stop} for the running steps, aborts the rest (ABORTED: as after
   * UNAVAILABLE, TensorFlow's clients then open a new session), unbinds the port and frees all
   * resources. Running steps include those of this master's sessions, those of other tasks'
   * sessions with a partition on this task, and partial runs. A second call waits for the first
   * one. An interrupt ends the waiting.
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
      grpc.stop(STOP_GRACE);
      worker.close(STOP_GRACE);
      connections.close();
      devices.close();
    } finally {
      endThreads();
      stopped.countDown();
    }
  }

  /**
   * The number of running steps, of this master and of this worker; a step of both counts twice.
   */
  int runningSteps() {
    return master.runningSteps() + worker.runningSteps();
  }

  /** Waits up to the stop timeout for the running steps, then aborts the rest. */
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

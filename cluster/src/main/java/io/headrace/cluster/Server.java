package io.headrace.cluster;

import io.grpc.ServerServiceDefinition;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A task of a cluster, as {@code tf.distribute.Server}: a master, on which clients open sessions,
 * and a worker, which runs parts of sessions on its devices.
 *
 * <p>A server that was made holds its port; requests wait until it is started. Several may be in
 * one process. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Server.class.getName());
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** Where in its life a server is. */
  private enum Stage {
    /** It holds its port, and requests wait. */
    NEW,
    /** It serves. */
    STARTED,
    /** It is over. */
    STOPPED
  }

  private final ServerDef definition;
  private final String target;
  private final LocalDevices devices;
  private final Master master;
  private final Worker worker;
  private final Peers.Connections connections;
  private final GrpcServer grpc;
  private final ExecutorService kernelThreads;
  private final ExecutorService callThreads;
  private final ScheduledExecutorService timer;
  private final CompletableFuture<Void> started;
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
    this.connections = new Peers.Connections();
    Peers peers = new Peers(ClusterSpec.of(definition.getCluster()), connections);
    this.worker =
        new Worker(task, devices, host.ops(), new Threads(kernelThreads, host.ticker()), peers);
    this.master =
        new Master(
            definition,
            devices,
            worker,
            peers,
            new MasterHost(host.ops(), host.random()::nextLong, timer));
    this.started = new CompletableFuture<>();
    ServedCalls calls = new ServedCalls(started, callThreads);
    this.grpc =
        bind(
            GrpcServerConfig.onPort(address.port()).withReceiveBudget(host.receiveBudget()),
            List.of(
                new MasterGrpcService(master, calls).bindService(),
                new WorkerGrpcService(worker, calls).bindService()));
    this.target = GrpcTargets.ofAddress(address.hostOrLocal() + ":" + grpc.port());
  }

  private GrpcServer bind(GrpcServerConfig config, List<ServerServiceDefinition> services) {
    try {
      return GrpcServer.start(config, services);
    } catch (StatusException e) {
      endThreads();
      throw new StatusException(
          StatusCode.UNKNOWN, "Could not start gRPC server: " + e.message(), e);
    }
  }

  /** Makes and starts the server of {@code definition} in this process. */
  public static Server start(ServerDef definition) {
    Server server = new Server(definition, ServerHost.ofProcess());
    server.start();
    return server;
  }

  /** Makes and starts the server of a task of {@code cluster} in this process. */
  public static Server start(ClusterSpec cluster, String jobName, int taskIndex) {
    return start(ServerDefs.of(cluster, ServerDefs.Overrides.task(jobName, taskIndex)));
  }

  /** Makes and starts the one task of a cluster of its own, at any free port. */
  public static Server startLocal() {
    return start(ServerDefs.local(ConfigProto.getDefaultInstance()));
  }

  /** What it was made from. */
  public ServerDef serverDef() {
    return definition;
  }

  /** What clients open sessions on: {@code grpc://host:port}. */
  public String target() {
    return target;
  }

  /** Begins to serve; does nothing if it does. FAILED_PRECONDITION if it was stopped. */
  public void start() {
    synchronized (this) {
      if (stage == Stage.STOPPED) {
        throw new StatusException(StatusCode.FAILED_PRECONDITION, "Server has stopped.");
      }
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
    grpc.awaitTermination();
  }

  /** Ends its sessions and their steps, lets go of its port, and frees what it holds. */
  public void stop() {
    synchronized (this) {
      if (stage == Stage.STOPPED) {
        return;
      }
      stage = Stage.STOPPED;
    }
    master.close();
    grpc.stop(GRACE);
    worker.close();
    connections.close();
    devices.close();
    endThreads();
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

package io.headrace.worker;

import io.grpc.ServerServiceDefinition;
import io.headrace.cluster.Server;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A worker of the tf.data service: runs the tasks that its dispatcher gives it, and hands their
 * elements to whoever asks. It shares the port of a {@link Server}, on which sessions can be
 * opened: one of its own, the only task of its cluster, or one that is there, whose devices it
 * uses. Closing it stops it, and its own server. Thread-safe.
 */
public final class WorkerServer implements AutoCloseable {
  private final WorkerConfig config;
  private final WorkerHost host;

  /** The server that it joins; null where it has one of its own. */
  private final @Nullable Server joined;

  private final Server.Guest guest = new Guest();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Pause quietPeriod = new Pause();
  private @Nullable DataWorker worker;
  private @Nullable Server server;
  private boolean stopping;

  /** A worker that is not yet started, in a process of its own. */
  public WorkerServer(WorkerConfig config) {
    this(config, WorkerHost.ofProcess());
  }

  /** A worker that is not yet started, in the process that {@code host} describes. */
  public WorkerServer(WorkerConfig config, WorkerHost host) {
    this.config = config;
    this.host = host;
    this.joined = null;
  }

  /**
   * A worker that is not yet started, at the port and on the first device of {@code server}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code config} asks for another port
   */
  public WorkerServer(WorkerConfig config, WorkerHost host, Server server) {
    if (config.port() != 0 && config.port() != server.port()) {
      throw StatusException.invalidArgument(
          "port %d: the worker shares the port of its server, %d", config.port(), server.port());
    }
    this.config = config;
    this.host = host;
    this.joined = server;
  }

  /** A worker that is started, with a server of its own. */
  public static WorkerServer start(WorkerConfig config) {
    WorkerServer worker = new WorkerServer(config);
    worker.start();
    return worker;
  }

  /** A worker that is started, at the port and on the first device of {@code server}. */
  public static WorkerServer start(WorkerConfig config, Server server) {
    WorkerServer worker = new WorkerServer(config, WorkerHost.ofProcess(), server);
    worker.start();
    return worker;
  }

  /**
   * Takes its place at the port and registers with the dispatcher; waits for the dispatcher if it
   * is away. A second start does no harm. A server that it joins is started, too.
   *
   * @throws StatusException UNAVAILABLE if the port is taken; ALREADY_EXISTS if the server that it
   *     joins has a worker; CANCELLED if it is stopped meanwhile; FAILED_PRECONDITION after a stop,
   *     its own or the server's; what the dispatcher has against this worker. Then it is stopped.
   */
  public void start() {
    try {
      @Nullable DataWorker bound = bind();
      if (bound != null) {
        bound.serveAt(port());
      }
    } catch (StatusException e) {
      stop();
      throw e;
    }
  }

  /** Binds the port; null if that was done. */
  private synchronized @Nullable DataWorker bind() {
    if (stopping) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "Server cannot be started after it has been stopped.");
    }
    if (worker != null) {
      return null;
    }
    @Nullable Server at = joined;
    if (at == null) {
      at = ownServer();
    }
    server = at;
    DataWorker made = new DataWorker(config, host.on(at));
    worker = made;
    at.attach(guest);
    at.start();
    return made;
  }

  private Server ownServer() {
    ServerDef definition =
        ServerDefs.local(ConfigProto.getDefaultInstance()).toBuilder()
            .setPort(config.port())
            .build();
    try {
      return new Server(definition, host.server());
    } catch (StatusException e) {
      throw e.getCause() instanceof StatusException reason ? reason : e;
    }
  }

  /** How the server sees the worker. */
  private final class Guest implements Server.Guest {
    @Override
    public List<ServerServiceDefinition> services() {
      return running().services();
    }

    @Override
    public void stop() {
      WorkerServer.this.stop();
    }
  }

  private synchronized DataWorker running() {
    @Nullable DataWorker running = worker;
    if (running == null) {
      throw notStarted();
    }
    return running;
  }

  /** The port that it listens on. FAILED_PRECONDITION before it is started. */
  public synchronized int port() {
    @Nullable Server bound = server;
    if (bound == null) {
      throw notStarted();
    }
    return bound.port();
  }

  /** What dispatcher and clients reach it by. FAILED_PRECONDITION before it is started. */
  public String address() {
    return running().address();
  }

  /** The same with its protocol, {@code grpc://host:port}: sessions can be opened on it. */
  public String target() {
    return GrpcTargets.ofAddress(address());
  }

  /** Blocks until it was stopped. */
  public void join() throws InterruptedException {
    stopped.await();
  }

  /**
   * Stops: tasks end, readers are told so, and after the quiet period its own server stops, whose
   * port is free then. One that it joined goes on: readers that still come are told that the worker
   * is gone. A second stop does no harm; it waits for the first.
   */
  public void stop() {
    if (isFirstToStop()) {
      stopOnce();
    } else {
      awaitStopped();
    }
  }

  @Override
  public void close() {
    stop();
  }

  private synchronized boolean isFirstToStop() {
    boolean first = !stopping;
    stopping = true;
    return first;
  }

  private void stopOnce() {
    @Nullable DataWorker running;
    @Nullable Server bound;
    synchronized (this) {
      running = worker;
      bound = server;
    }
    try {
      if (running != null) {
        running.drain();
      }
      if (bound != null) {
        var _ = quietPeriod.await(config.shutdownQuietPeriod());
        bound.detach(guest);
        if (joined == null) {
          bound.stop();
        }
      }
      if (running != null) {
        running.close();
      }
    } finally {
      stopped.countDown();
    }
  }

  private void awaitStopped() {
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static StatusException notStarted() {
    return new StatusException(StatusCode.FAILED_PRECONDITION, "the worker was not started");
  }
}

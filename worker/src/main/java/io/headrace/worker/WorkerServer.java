package io.headrace.worker;

import static java.util.Objects.requireNonNull;

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
 * A worker of the tf.data service: runs the tasks that its dispatcher assigns and serves their
 * elements to readers. It shares the port of a {@link Server}, on which sessions can be opened: one
 * of its own, the only task of a local cluster, or a given one, whose devices it uses. Closing it
 * stops it, and its own server; it stops by itself when an operator drains it. Thread-safe.
 */
public final class WorkerServer implements AutoCloseable {
  private final WorkerConfig config;
  private final WorkerHost host;

  /** The given server whose port it shares; null if it has one of its own. */
  private final @Nullable Server joined;

  private final Server.Guest guest = new Guest();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private @Nullable DataWorker worker;
  private @Nullable Server server;
  private boolean stopping;

  /** Creates a worker with the default environment, without starting it. */
  public WorkerServer(WorkerConfig config) {
    this(config, WorkerHost.ofProcess());
  }

  /** Creates a worker in the environment {@code host}, without starting it. */
  public WorkerServer(WorkerConfig config, WorkerHost host) {
    requireNonNull(config, "config is null");
    requireNonNull(host, "host is null");
    this.config = config;
    this.host = host;
    this.joined = null;
  }

  /**
   * Creates a worker at the port and on the first device of {@code server}, without starting it.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code config} requests another port
   */
  public WorkerServer(WorkerConfig config, WorkerHost host, Server server) {
    requireNonNull(config, "config is null");
    requireNonNull(host, "host is null");
    requireNonNull(server, "server is null");
    if (config.port() != 0 && config.port() != server.port()) {
      throw StatusException.invalidArgument(
          "port %d: the worker shares the port of its server, %d", config.port(), server.port());
    }
    this.config = config;
    this.host = host;
    this.joined = server;
  }

  /** Creates and starts a worker with a server of its own. */
  public static WorkerServer start(WorkerConfig config) {
    requireNonNull(config, "config is null");
    WorkerServer worker = new WorkerServer(config);
    worker.start();
    return worker;
  }

  /** Creates and starts a worker at the port and on the first device of {@code server}. */
  public static WorkerServer start(WorkerConfig config, Server server) {
    requireNonNull(config, "config is null");
    requireNonNull(server, "server is null");
    WorkerServer worker = new WorkerServer(config, WorkerHost.ofProcess(), server);
    worker.start();
    return worker;
  }

  /**
   * Starts the worker: binds or joins the port, starts the server, and registers with the
   * dispatcher; blocks until the dispatcher answers. Idempotent.
   *
   * @throws StatusException UNAVAILABLE if the port is taken; DEADLINE_EXCEEDED if the dispatcher
   *     does not answer for {@link WorkerConfig#dispatcherTimeout}; ALREADY_EXISTS if the given
   *     server has a worker; CANCELLED if the worker is stopped meanwhile; FAILED_PRECONDITION
   *     after a stop of the worker or the server; the reason if the dispatcher refuses the worker.
   *     After a failure the worker is stopped.
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

  /** Binds or joins the port; null if that is done already. */
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
    DataWorker made = new DataWorker(config, host.on(at), this::stopSoon);
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

  /** The worker as a guest of the server. */
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

  /** The bound port. FAILED_PRECONDITION before the start. */
  public synchronized int port() {
    @Nullable Server bound = server;
    if (bound == null) {
      throw notStarted();
    }
    return bound.port();
  }

  /** The worker's address for dispatcher and clients. FAILED_PRECONDITION before the start. */
  public String address() {
    return running().address();
  }

  /** The target {@code grpc://host:port}, at which sessions can be opened. */
  public String target() {
    return GrpcTargets.ofAddress(address());
  }

  /** How many tasks the worker has deleted since its start, as its dispatcher told it to. */
  public long deletedTasks() {
    @Nullable DataWorker running;
    synchronized (this) {
      running = worker;
    }
    return running == null ? 0 : running.deletedTasks();
  }

  /** The worker's figures; zeros before the start. */
  public WorkerCounts counts() {
    @Nullable DataWorker running;
    synchronized (this) {
      running = worker;
    }
    return running == null ? WorkerCounts.NONE : running.counts();
  }

  /** Blocks until the worker has stopped. */
  public void join() throws InterruptedException {
    stopped.await();
  }

  /**
   * Stops the worker in order: it says that it leaves, and what it has not delivered is made
   * elsewhere. Elements that can't be are delivered first, as far as readers take it within the
   * quiet period; readers that have closed are not waited for. Then its tasks end, readers get
   * CANCELLED, and its own server stops and unbinds the port. A given server keeps running and
   * answers later readers with CANCELLED. A second call waits for the first one.
   */
  public void stop() {
    if (isFirstToStop()) {
      stopOnce();
    } else {
      awaitStopped();
    }
  }

  /** Stops on a thread of its own: an operator drains the worker. */
  private void stopSoon() {
    Thread.ofPlatform().name("worker-leaving").start(this::stop);
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
        running.leave(config.shutdownQuietPeriod());
        running.drain();
      }
      if (bound != null) {
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

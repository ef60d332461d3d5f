package io.headrace.worker;

import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A worker of the tf.data service: runs the tasks that its dispatcher gives it, and hands their
 * elements to whoever asks. Closing it stops it. Thread-safe.
 */
public final class WorkerServer implements AutoCloseable {
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);

  private final WorkerConfig config;
  private final WorkerHost host;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Pause quietPeriod = new Pause();
  private @Nullable Worker worker;
  private @Nullable GrpcServer server;
  private boolean stopping;

  /** A worker that is not yet started, in a process of its own. */
  public WorkerServer(WorkerConfig config) {
    this(config, WorkerHost.ofProcess());
  }

  /** A worker that is not yet started, in the process that {@code host} describes. */
  public WorkerServer(WorkerConfig config, WorkerHost host) {
    this.config = config;
    this.host = host;
  }

  /** A worker that is started. */
  public static WorkerServer start(WorkerConfig config) {
    WorkerServer server = new WorkerServer(config);
    server.start();
    return server;
  }

  /**
   * Binds the port and registers with the dispatcher; waits for the dispatcher if it is away. A
   * second start does no harm.
   *
   * @throws StatusException UNAVAILABLE if the port is taken; CANCELLED if it is stopped meanwhile;
   *     FAILED_PRECONDITION after a stop; what the dispatcher has against this worker. Then it is
   *     stopped.
   */
  public void start() {
    try {
      @Nullable Worker bound = bind();
      if (bound != null) {
        bound.serveAt(port());
      }
    } catch (StatusException e) {
      stop();
      throw e;
    }
  }

  /** Binds the port; null if that was done. */
  private synchronized @Nullable Worker bind() {
    if (stopping) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "Server cannot be started after it has been stopped.");
    }
    if (worker != null) {
      return null;
    }
    Worker made = new Worker(config, host);
    worker = made;
    server =
        GrpcServer.start(
            GrpcServerConfig.onPort(config.port()).withReceiveBudget(host.receiveBudget()),
            made.services());
    return made;
  }

  /** The port that it listens on. FAILED_PRECONDITION before it is started. */
  public synchronized int port() {
    @Nullable GrpcServer bound = server;
    if (bound == null) {
      throw notStarted();
    }
    return bound.port();
  }

  /** What dispatcher and clients reach it by. FAILED_PRECONDITION before it is started. */
  public synchronized String address() {
    @Nullable Worker running = worker;
    if (running == null) {
      throw notStarted();
    }
    return running.address();
  }

  /** The same with its protocol: {@code grpc://host:port}. */
  public String target() {
    return GrpcTargets.ofAddress(address());
  }

  /** Blocks until it was stopped. */
  public void join() throws InterruptedException {
    stopped.await();
  }

  /**
   * Stops: tasks end, readers are told so, and after the quiet period the port is free. A second
   * stop does no harm; it waits for the first.
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
    @Nullable Worker running;
    @Nullable GrpcServer bound;
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
        bound.stop(STOP_GRACE);
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

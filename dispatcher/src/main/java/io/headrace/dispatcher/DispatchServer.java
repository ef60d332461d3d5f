package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher of the tf.data service: it registers datasets, creates jobs and iterations, and
 * assigns tasks to workers. It serves TensorFlow's DispatcherService to stock workers and clients,
 * and on the same port our extensions (headrace/dispatcher.proto).
 *
 * <p>A server starts once and stops once; further calls do nothing. Thread-safe.
 */
public final class DispatchServer implements AutoCloseable {
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);

  private final DispatcherConfig config;
  private final Supplier<DispatcherDependencies> newParts;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Object lock = new Object();

  @GuardedBy("lock")
  private @Nullable Running running;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private @Nullable StatusException lost;

  private record Running(Dispatcher dispatcher, GrpcServer server) {}

  private DispatchServer(DispatcherConfig config, Supplier<DispatcherDependencies> newParts) {
    this.config = config;
    this.newParts = newParts;
  }

  /** A server that is not started and holds no resources. */
  public static DispatchServer create(DispatcherConfig config) {
    return new DispatchServer(config, () -> DispatcherDependencies.system(config));
  }

  /** A server with its dependencies replaced, for tests. */
  static DispatchServer create(DispatcherConfig config, Supplier<DispatcherDependencies> newParts) {
    return new DispatchServer(config, newParts);
  }

  /**
   * Creates and starts a server.
   *
   * @throws StatusException as {@link #start()} does
   */
  public static DispatchServer start(DispatcherConfig config) {
    DispatchServer server = create(config);
    server.start();
    return server;
  }

  /**
   * Replays the journal, binds the port and serves.
   *
   * @throws StatusException UNAVAILABLE if the port is taken; FAILED_PRECONDITION after a stop, or
   *     if the work_dir is in use, foreign, or can't be written to; UNAVAILABLE if its bucket can't
   *     be reached; DATA_LOSS if the journal is damaged
   */
  public void start() {
    synchronized (lock) {
      if (ended) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION, "Server cannot be started after it has been stopped.");
      }
      if (running == null) {
        running = open();
      }
    }
  }

  /** Stops the server as {@link #stop(Duration)} does, with a grace period of five seconds. */
  public void stop() {
    stop(STOP_GRACE);
  }

  /**
   * Refuses new requests, lets those in flight finish for at most {@code grace}, and releases all
   * resources. Returns when that is done.
   */
  public void stop(Duration grace) {
    @Nullable Running last;
    synchronized (lock) {
      ended = true;
      last = running;
      running = null;
    }
    if (last != null) {
      close(last, grace);
    }
    stopped.countDown();
  }

  /**
   * Blocks until the server has stopped.
   *
   * @throws StatusException FAILED_PRECONDITION if it stopped because another dispatcher has taken
   *     over its work_dir
   */
  public void join() throws InterruptedException {
    stopped.await();
    synchronized (lock) {
      if (lost != null) {
        throw lost;
      }
    }
  }

  /**
   * The bound port.
   *
   * @throws StatusException FAILED_PRECONDITION unless the server runs
   */
  public int port() {
    return running().server().port();
  }

  /**
   * The service's target for clients, "grpc://localhost:port".
   *
   * @throws StatusException as {@link #port} does
   */
  public String target() {
    return GrpcTargets.ofLocalPort(port());
  }

  /**
   * "localhost:port".
   *
   * @throws StatusException as {@link #port} does
   */
  public String address() {
    return GrpcTargets.address(target());
  }

  /**
   * The dispatcher's statistics.
   *
   * @throws StatusException as {@link #port} does
   */
  public DispatcherStatistics statistics() {
    try {
      return running().dispatcher().statistics().join();
    } catch (CompletionException e) {
      if (UnaryCalls.cause(e) instanceof StatusException failure) {
        throw failure;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    stop();
  }

  private Running running() {
    synchronized (lock) {
      if (running == null) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION,
            ended ? "the server has been stopped" : "the server is not started");
      }
      return running;
    }
  }

  private Running open() {
    DispatcherDependencies parts = newParts.get();
    Dispatcher dispatcher = new Dispatcher(config, parts);
    try {
      dispatcher.open();
      GrpcServerConfig serverConfig =
          GrpcServerConfig.onPort(config.port())
              .withReceiveBudget(ReceiveBudget.ofBytes(config.maxReceiveBytes()));
      ServerInterceptor marking = EpochFence.markingAnswers(parts.epoch());
      GrpcServer server =
          GrpcServer.start(
              serverConfig,
              Stream.of(
                      new DispatcherGrpcService(dispatcher, config.deploymentMode()).bindService(),
                      new ExtensionsGrpcService(dispatcher).bindService())
                  .map(service -> ServerInterceptors.intercept(service, marking))
                  .toList());
      var _ = parts.journal().lost().thenAccept(this::endLost);
      return new Running(dispatcher, server);
    } catch (RuntimeException e) {
      dispatcher.close();
      throw e;
    }
  }

  /** Stops at once: another dispatcher owns the journal, so this one's state is stale. */
  private void endLost(StatusException reason) {
    synchronized (lock) {
      lost = reason;
    }
    // Not on the journal's own thread: stopping waits for that thread.
    Thread.ofPlatform().name("dispatcher-lost").start(() -> stop(Duration.ZERO));
  }

  private static void close(Running running, Duration grace) {
    // Watch calls are endless, so a graceful stop must end them first.
    var _ = running.dispatcher().endWatches();
    running.server().stop(grace);
    running.dispatcher().close();
  }
}

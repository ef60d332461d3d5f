package io.headrace.dispatcher;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import io.headrace.rpc.GrpcTargets;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.rpc.UnaryCalls;
import io.headrace.rpc.inspect.ServerHealth;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher of the tf.data service: it registers datasets, creates jobs and iterations, and
 * assigns tasks to workers. It serves TensorFlow's DispatcherService to stock workers and clients,
 * and on the same port our extensions (headrace/dispatcher.proto), the service for operators
 * (headrace/admin.proto) and gRPC's health service.
 *
 * <p>A server starts once and stops once; further calls do nothing. It stops by itself, with all
 * that callers wait for failed, if another dispatcher has taken over its work_dir, or if an Error
 * in the JVM, such as an OutOfMemoryError, may have torn its state. Thread-safe.
 */
public final class DispatchServer implements AutoCloseable {
  /** The name of the histogram of the times in which changes become durable. */
  public static final String COMMIT_SECONDS = "headrace.journal.commit";

  private static final Logger LOGGER = System.getLogger(DispatchServer.class.getName());
  private static final Duration STOP_GRACE = Duration.ofSeconds(5);

  /** How long connections have to carry the last answers of a server that ends by itself. */
  private static final Duration END_GRACE = Duration.ofSeconds(1);

  private final DispatcherConfig config;
  private final Supplier<DispatcherDependencies> newParts;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Object lock = new Object();

  @GuardedBy("lock")
  private @Nullable Running running;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private @Nullable StatusException reasonOfEnd;

  /**
   * A server that is up.
   *
   * @param health what it tells load balancers
   * @param end the reason if it ends by itself; cancelled when it is stopped
   */
  private record Running(
      Dispatcher dispatcher,
      GrpcServer server,
      ServerHealth health,
      CompletableFuture<StatusException> end) {}

  private DispatchServer(DispatcherConfig config, Supplier<DispatcherDependencies> newParts) {
    this.config = config;
    this.newParts = newParts;
  }

  /** A server that is not started and holds no resources. */
  public static DispatchServer create(DispatcherConfig config) {
    requireNonNull(config, "config is null");
    return create(config, MeterProvider.noop().get("io.headrace"));
  }

  /** A server that is not started and holds no resources, with instruments of {@code meter}. */
  public static DispatchServer create(DispatcherConfig config, Meter meter) {
    requireNonNull(config, "config is null");
    requireNonNull(meter, "meter is null");
    return new DispatchServer(config, () -> DispatcherDependencies.system(config, meter));
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
    requireNonNull(config, "config is null");
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
        LOGGER.log(Level.INFO, state());
      }
    }
  }

  /** Says whether the state survives the process. */
  private String state() {
    if (config.faultTolerantMode()) {
      return "the state survives restarts, in work_dir " + config.workDir();
    }
    return config.workDir().isEmpty()
        ? "the state ends with this process: there is no work_dir"
        : "the state ends with this process: fault-tolerant mode is off, and work_dir "
            + config.workDir()
            + " is not used";
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
    requireNonNull(grace, "grace is null");
    stop(last -> close(last, grace));
  }

  private void stop(Consumer<Running> closing) {
    @Nullable Running last;
    synchronized (lock) {
      ended = true;
      last = running;
      running = null;
    }
    try {
      if (last != null) {
        closing.accept(last);
      }
    } finally {
      stopped.countDown();
    }
  }

  /**
   * Blocks until the server has stopped.
   *
   * @throws StatusException if it stopped by itself: FAILED_PRECONDITION because another dispatcher
   *     has taken over its work_dir, UNAVAILABLE because of an Error, which is in the log
   */
  public void join() throws InterruptedException {
    stopped.await();
    synchronized (lock) {
      if (reasonOfEnd != null) {
        throw reasonOfEnd;
      }
    }
  }

  /**
   * The bound port.
   *
   * @throws StatusException FAILED_PRECONDITION unless the server runs; the reason of {@link #join}
   *     if it stopped by itself
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

  /**
   * The answers of the running server that operators read.
   *
   * @throws StatusException as {@link #port} does
   */
  public DispatcherView view() {
    return new DispatcherView(running().dispatcher(), address());
  }

  @Override
  public void close() {
    stop();
  }

  private Running running() {
    synchronized (lock) {
      if (reasonOfEnd != null) {
        throw reasonOfEnd;
      }
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
    CompletableFuture<StatusException> end = new CompletableFuture<>();
    try {
      return open(parts, end);
    } catch (RuntimeException | Error e) {
      end.cancel(false);
      parts.close();
      throw e;
    }
  }

  private Running open(DispatcherDependencies parts, CompletableFuture<StatusException> end) {
    Dispatcher dispatcher = new Dispatcher(config, parts);
    dispatcher.open();
    // A thread of its own, because stopping waits for those of the journal and the loop; and
    // started now, because later there may be no memory for it.
    Thread.ofPlatform().daemon().name("dispatcher-end").start(() -> awaitEnd(end));
    GrpcServerConfig serverConfig =
        GrpcServerConfig.onPort(config.port())
            .withReceiveBudget(ReceiveBudget.ofBytes(config.maxReceiveBytes()));
    ServerInterceptor marking = EpochFence.markingAnswers(parts.epoch());
    ServerHealth health = new ServerHealth(DispatcherServiceGrpc.SERVICE_NAME);
    Stream<ServerServiceDefinition> own =
        Stream.of(
                new DispatcherGrpcService(dispatcher, config.deploymentMode()).bindService(),
                new ExtensionsGrpcService(dispatcher).bindService(),
                new AdminGrpcService(dispatcher).bindService())
            .map(service -> ServerInterceptors.intercept(service, marking, Callers.identifying()));
    Stream<ServerServiceDefinition> common =
        Stream.concat(Stream.of(health.service()), config.inspection().services().stream());
    GrpcServer server = GrpcServer.start(serverConfig, Stream.concat(own, common).toList());
    health.serve();
    var _ = parts.journal().lost().thenAccept(end::complete);
    var _ = dispatcher.ended().thenAccept(end::complete);
    return new Running(dispatcher, server, health, end);
  }

  /**
   * Refuses all at once if the server ends by itself: its state is stale, or may be torn. It stops
   * when its connections have carried that.
   */
  private void awaitEnd(CompletableFuture<StatusException> end) {
    StatusException reason;
    try {
      reason = end.join();
    } catch (CancellationException e) {
      return;
    }
    synchronized (lock) {
      reasonOfEnd = reason;
    }
    stop(DispatchServer::closeRefusing);
  }

  private static void closeRefusing(Running running) {
    running.health().leave();
    try {
      var _ = running.dispatcher().endWatches();
      running.dispatcher().refuse();
      running.health().endWatches();
      running.server().stop(END_GRACE);
    } finally {
      running.dispatcher().close();
    }
  }

  private static void close(Running running, Duration grace) {
    running.health().leave();
    running.end().cancel(false);
    if (grace.isPositive()) {
      running.dispatcher().prepareToStop();
    }
    try {
      // Watch calls are endless, so a graceful stop must end them first.
      var _ = running.dispatcher().endWatches();
      running.health().endWatches();
      running.server().stop(grace);
    } finally {
      running.dispatcher().close();
    }
  }
}

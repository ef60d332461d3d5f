package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A running gRPC server with tuned transport settings and bounds on the memory, the connections and
 * the transport's own work that a hostile peer can cost it. Handlers run on the transport's
 * threads, so they must never block; they may throw, or answer with, any exception (see {@link
 * GrpcStatuses}). Thread-safe.
 */
public final class GrpcServer implements AutoCloseable {
  private static final int MAX_CALLS_PER_CONNECTION = 4096;

  /**
   * The most streams that may be reset on a connection in {@link #RESETS_SECONDS}: all calls that
   * it can have in flight may be cancelled at once, and again after a retry.
   */
  private static final int MAX_RESETS = 2 * MAX_CALLS_PER_CONNECTION;

  private static final int RESETS_SECONDS = 30;

  /**
   * The interval at which a peer may send pings while it gets no replies; the third one that comes
   * sooner ends its connection. Keep-alives of gRPC's clients are at least ten seconds apart, and
   * the pings by which they measure the bandwidth follow replies.
   */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(1);

  private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
  private static final Duration FORCED_GRACE = Duration.ofSeconds(5);

  private final Server server;
  private final int port;
  private final DynamicServices added;
  private final UnreadReplies replies;
  private final ScheduledExecutorService sweeper;

  private GrpcServer(
      Server server,
      DynamicServices added,
      UnreadReplies replies,
      ScheduledExecutorService sweeper) {
    this.server = server;
    this.added = added;
    this.replies = replies;
    this.port = server.getPort();
    this.sweeper = sweeper;
  }

  /**
   * Binds the port and serves {@code services}.
   *
   * @throws StatusException UNAVAILABLE if the port is taken or can't be bound
   */
  public static GrpcServer start(GrpcServerConfig config, List<ServerServiceDefinition> services) {
    return start(config, services, Map.of());
  }

  /**
   * Binds the port and serves {@code services}; calls of the services in {@code unserved} get
   * UNIMPLEMENTED with a reason.
   *
   * @param unserved the reasons by full service name
   */
  public static GrpcServer start(
      GrpcServerConfig config,
      List<ServerServiceDefinition> services,
      Map<String, String> unserved) {
    return start(config, services, unserved, SystemTicker.INSTANCE);
  }

  /** Like the public methods, with a ticker for the time that replies wait to be read. */
  static GrpcServer start(
      GrpcServerConfig config,
      List<ServerServiceDefinition> services,
      Map<String, String> unserved,
      Ticker replyTicker) {
    TransportLoggers.quieten();
    TransportSettings.disableLeakDetection();
    ScheduledExecutorService sweeper =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("server-timeouts").factory());
    RequestTimeouts timeouts = new RequestTimeouts(config.requestTimeout());
    ConnectionLimit limit =
        new ConnectionLimit(config.connectionsPerAddress(), SystemTicker.INSTANCE);
    ServerSockets sockets = new ServerSockets(limit);
    UnreadReplies replies =
        new UnreadReplies(config.replyBytes(), config.replyTimeout(), replyTicker, sockets::close);
    NettyServerBuilder builder =
        sockets
            .use(builder(config), config.shortWaits())
            .intercept(replies)
            .intercept(timeouts)
            .addTransportFilter(replies)
            .addTransportFilter(PeerConnection.filter());
    services.forEach(service -> builder.addService(RequestMarshaller.guard(service)));
    DynamicServices added = new DynamicServices(new UnimplementedServices(unserved));
    builder.fallbackHandlerRegistry(added);
    try {
      GrpcServer server = new GrpcServer(builder.build().start(), added, replies, sweeper);
      timeouts.start(sweeper);
      replies.start(sweeper);
      limit.start(sweeper);
      return server;
    } catch (IOException e) {
      sweeper.shutdownNow();
      throw new StatusException(
          StatusCode.UNAVAILABLE,
          "port "
              + config.port()
              + " can't be listened on (is it taken?): "
              + GrpcStatuses.rootMessage(e),
          e);
    }
  }

  /**
   * Adds {@code services}. They replace services of the same name that were added before, but not
   * those with which the server was started.
   */
  public void add(List<ServerServiceDefinition> services) {
    services.forEach(service -> added.add(RequestMarshaller.guard(service)));
  }

  /** The bytes of replies that peers have not read yet. */
  long unreadReplyBytes() {
    return replies.bytes();
  }

  /** The bound port; also known after the server has stopped. */
  public int port() {
    return port;
  }

  /**
   * Stops the server: refuses new calls, waits up to {@code grace} for those in flight, then
   * cancels them. Returns once the port is free. Idempotent.
   */
  public void stop(Duration grace) {
    server.shutdown();
    awaitEnd(grace);
    server.shutdownNow();
    awaitEnd(FORCED_GRACE);
    sweeper.shutdownNow();
  }

  /** Blocks until the server has stopped. */
  public void awaitTermination() throws InterruptedException {
    server.awaitTermination();
  }

  @Override
  public void close() {
    stop(CLOSE_GRACE);
  }

  /**
   * Waits for the end for {@code atMost} at most; returns at once if this thread is interrupted.
   */
  private void awaitEnd(Duration atMost) {
    try {
      var _ = server.awaitTermination(atMost.toNanos(), NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static NettyServerBuilder builder(GrpcServerConfig config) {
    long limit = config.receiveBudget().limitBytes();
    return NettyServerBuilder.forAddress(new InetSocketAddress("0.0.0.0", config.port()))
        .directExecutor()
        .intercept(new StatusInterceptor())
        .addStreamTracerFactory(ReceiveTracer.factory(config.receiveBudget()))
        .maxInboundMessageSize((int) Math.min(limit, Integer.MAX_VALUE))
        .decompressorRegistry(DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
        .flowControlWindow(TransportSettings.WINDOW_BYTES)
        .withChildOption(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportSettings.WATER_MARK)
        .withChildOption(ChannelOption.TCP_NODELAY, true)
        .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
        .maxConnectionIdle(config.idleTimeout().toNanos(), NANOSECONDS)
        .keepAliveTime(config.keepAliveTime().toNanos(), NANOSECONDS)
        .keepAliveTimeout(config.keepAliveTimeout().toNanos(), NANOSECONDS)
        .maxRstFramesPerWindow(MAX_RESETS, RESETS_SECONDS)
        .permitKeepAliveTime(PING_INTERVAL.toNanos(), NANOSECONDS)
        .permitKeepAliveWithoutCalls(true);
  }
}

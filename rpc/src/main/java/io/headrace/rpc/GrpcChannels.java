package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.time.Duration;

/**
 * Opens channels with tuned transport settings. Callbacks run on the transport's threads, so they
 * must never block. A channel connects at its first call and again after a failure. Callers with a
 * retry schedule of their own call {@link ManagedChannel#resetConnectBackoff} before each attempt,
 * because gRPC's back-off grows to two minutes.
 */
public final class GrpcChannels {
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

  private GrpcChannels() {}

  /** A channel to {@code address}, a "host:port" as gRPC resolves it. The caller closes it. */
  public static ManagedChannel open(String address) {
    return builder(address).build();
  }

  /**
   * A channel as {@link #open} returns it that closes its connection after ten idle seconds and
   * reconnects with the next call.
   */
  public static ManagedChannel openForManyUses(String address) {
    return builder(address).idleTimeout(IDLE.toNanos(), NANOSECONDS).build();
  }

  /**
   * A channel as {@link #openForManyUses} returns it, with a larger window for replies that are
   * tensors of any size.
   */
  public static ManagedChannel openForTensors(String address) {
    return builder(address)
        .flowControlWindow(TransportSettings.TENSOR_WINDOW_BYTES)
        .idleTimeout(IDLE.toNanos(), NANOSECONDS)
        .build();
  }

  /**
   * A channel as {@link #open} returns it, with HTTP/2 keep-alive: while calls are open, a silent
   * peer is pinged every {@code time}, and the connection is closed if no answer comes within
   * {@code timeout}. For our own servers only: stock servers take more than two pings in five
   * minutes for an attack.
   */
  public static ManagedChannel openWithKeepAlive(String address, Duration time, Duration timeout) {
    return builder(address)
        .keepAliveTime(time.toNanos(), NANOSECONDS)
        .keepAliveTimeout(timeout.toNanos(), NANOSECONDS)
        .build();
  }

  /** Closes {@code channel}; cancels its calls if they do not end within a second. */
  public static void close(ManagedChannel channel) {
    channel.shutdown();
    try {
      if (!channel.awaitTermination(CLOSE_GRACE.toNanos(), NANOSECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private static NettyChannelBuilder builder(String address) {
    TransportLoggers.quieten();
    TransportSettings.disableLeakDetection();
    TransportSettings.keepReadBuffers();
    return ClientSockets.use(NettyChannelBuilder.forTarget(address))
        .usePlaintext()
        .directExecutor()
        .disableRetry()
        .maxInboundMessageSize(Integer.MAX_VALUE)
        .flowControlWindow(TransportSettings.WINDOW_BYTES)
        .withOption(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportSettings.WATER_MARK)
        .withOption(ChannelOption.TCP_NODELAY, true);
  }
}

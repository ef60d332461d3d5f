package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.time.Duration;

/**
 * Opens channels with our settings for speed. Callbacks run on the transport's threads, so they
 * must never block. A channel connects at its first call and again after a failure; whoever retries
 * at his own pace calls {@link ManagedChannel#resetConnectBackoff} before each attempt, for gRPC
 * itself waits up to two minutes between attempts.
 */
public final class GrpcChannels {
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

  private GrpcChannels() {}

  /**
   * A channel to {@code address}, a "host:port" as gRPC resolves it. Whoever opens it closes it.
   */
  public static ManagedChannel open(String address) {
    return builder(address).build();
  }

  /** The same, which closes its connection ten seconds after the last call, until the next. */
  public static ManagedChannel openForManyUses(String address) {
    return builder(address).idleTimeout(IDLE.toNanos(), NANOSECONDS).build();
  }

  /** The same, for replies that are tensors of any size. */
  public static ManagedChannel openForTensors(String address) {
    return builder(address)
        .flowControlWindow(TransportSettings.TENSOR_WINDOW_BYTES)
        .idleTimeout(IDLE.toNanos(), NANOSECONDS)
        .build();
  }

  /**
   * A channel as {@link #open} gives it, asking a peer that is silent while calls are open for a
   * sign of life every {@code time}, and closing the connection if none comes within {@code
   * timeout}. For our own servers only: stock ones take more than two such questions in five
   * minutes for an attack.
   */
  public static ManagedChannel openWithKeepAlive(String address, Duration time, Duration timeout) {
    return builder(address)
        .keepAliveTime(time.toNanos(), NANOSECONDS)
        .keepAliveTimeout(timeout.toNanos(), NANOSECONDS)
        .build();
  }

  /** Ends {@code channel}: cancels its calls if they do not end within a second. */
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
    TransportSettings.stopLookingForLeaks();
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

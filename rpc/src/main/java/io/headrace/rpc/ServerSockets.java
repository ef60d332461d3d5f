package io.headrace.rpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.DefaultSelectStrategyFactory;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.SelectStrategyFactory;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.headrace.runtime.time.SystemTicker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The accepted sockets of a server: so that those beyond the limit of their address are refused,
 * and that one can be closed, as through gRPC a server can end calls but not drop the buffered
 * replies of a peer that does not read. Thread-safe.
 */
final class ServerSockets {
  private final ConnectionLimit limit;
  private final Map<SocketAddress, Channel> accepted = new ConcurrentHashMap<>();

  ServerSockets(ConnectionLimit limit) {
    this.limit = limit;
  }

  /**
   * Configures the server to accept these sockets.
   *
   * @param shortWaits whether their event loops use {@link BusyPollStrategy}
   */
  NettyServerBuilder use(NettyServerBuilder server, boolean shortWaits) {
    EventLoopGroup group = shortWaits ? ShortlyWaitingThreads.GROUP : Threads.GROUP;
    return server
        .bossEventLoopGroup(group)
        .workerEventLoopGroup(group)
        .channelFactory(this::listener);
  }

  /**
   * Closes the connection of {@code peer} at once and drops its unsent bytes. gRPC's own handler
   * does not get to say goodbye, for which it would wait until the peer has read all replies, or
   * half a minute.
   */
  void close(SocketAddress peer) {
    Channel channel = accepted.get(peer);
    if (channel != null) {
      ChannelHandlerContext head = channel.pipeline().firstContext();
      var _ = head == null ? channel.close() : head.close();
    }
  }

  private ServerChannel listener() {
    ServerChannel listener =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    listener.pipeline().addLast(new Accepting());
    return listener;
  }

  /** Returns whether the socket may stay open. */
  private boolean accept(Channel socket) {
    if (!(socket.remoteAddress() instanceof InetSocketAddress peer)) {
      return true;
    }
    InetAddress address = peer.getAddress();
    if (!limit.admit(address)) {
      return false;
    }
    accepted.put(peer, socket);
    var _ =
        socket
            .closeFuture()
            .addListener(_ -> {
              accepted.remove(peer, socket);
              limit.release(address);
            });
    return true;
  }

  /** Records or refuses each accepted socket before gRPC's handler gets it. */
  private final class Accepting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object socket) {
      Channel channel = (Channel) socket;
      if (accept(channel)) {
        context.fireChannelRead(socket);
      } else {
        // No event loop has it yet.
        channel.unsafe().closeForcibly();
      }
    }
  }

  private static EventLoopGroup group(String name, SelectStrategyFactory waiting) {
    return new MultiThreadIoEventLoopGroup(
        0,
        new DefaultThreadFactory(name, /* daemon= */ true),
        Epoll.isAvailable()
            ? EpollIoHandler.newFactory(0, waiting)
            : NioIoHandler.newFactory(SelectorProvider.provider(), waiting));
  }

  /** The event loops of all servers: daemon threads, started on demand. */
  private static final class Threads {
    static final EventLoopGroup GROUP =
        group("headrace-server", DefaultSelectStrategyFactory.INSTANCE);
  }

  /** The event loops of all servers with short waits. */
  private static final class ShortlyWaitingThreads {
    static final EventLoopGroup GROUP = group("headrace-server", waiting());

    private static SelectStrategyFactory waiting() {
      AtomicBoolean taken = new AtomicBoolean();
      return () -> new BusyPollStrategy(SystemTicker.INSTANCE, taken);
    }
  }
}

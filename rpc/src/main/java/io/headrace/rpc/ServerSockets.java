package io.headrace.rpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sockets that a server has accepted, so that one can be closed: gRPC lets a server end calls,
 * but not take back what it has answered to a peer that does not read. Thread-safe.
 */
final class ServerSockets {
  private final Map<SocketAddress, Channel> accepted = new ConcurrentHashMap<>();

  /** Has the server listen on such sockets. */
  NettyServerBuilder use(NettyServerBuilder server) {
    return server
        .bossEventLoopGroup(Threads.GROUP)
        .workerEventLoopGroup(Threads.GROUP)
        .channelFactory(this::listener);
  }

  /** Closes the connection from {@code peer}, with all that waits to be sent on it. */
  void close(SocketAddress peer) {
    Channel channel = accepted.get(peer);
    if (channel != null) {
      var _ = channel.close();
    }
  }

  private ServerChannel listener() {
    ServerChannel listener =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    listener.pipeline().addLast(new Accepting());
    return listener;
  }

  private void accept(Channel socket) {
    SocketAddress peer = socket.remoteAddress();
    if (peer != null) {
      accepted.put(peer, socket);
      var _ = socket.closeFuture().addListener(_ -> accepted.remove(peer, socket));
    }
  }

  /** Sees each accepted socket before the server does. */
  private final class Accepting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object socket) {
      accept((Channel) socket);
      context.fireChannelRead(socket);
    }
  }

  /** The event loops of all servers: daemons, started as they are needed. */
  private static final class Threads {
    static final EventLoopGroup GROUP =
        new MultiThreadIoEventLoopGroup(
            0, new DefaultThreadFactory("headrace-server", /* daemon= */ true), io());

    private static IoHandlerFactory io() {
      return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }
  }
}

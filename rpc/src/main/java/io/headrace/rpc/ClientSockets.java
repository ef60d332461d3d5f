package io.headrace.rpc;

import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.ByteToMessageDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Settings;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;

/**
 * Client sockets tuned for large elements: they read more bytes at a time than netty's default, and
 * request HTTP/2 frames larger than the default of 16 KiB. Each frame costs both ends some
 * microseconds, whatever its size; docs/performance.md has the measurements.
 */
final class ClientSockets {
  /**
   * The requested frame size. Larger frames take longer to arrive in full and are copied more
   * often.
   */
  private static final int FRAME_BYTES = 64 << 10;

  private static final int MIN_READ_BYTES = 2 << 10;
  private static final int FIRST_READ_BYTES = 64 << 10;
  static final int MAX_READ_BYTES = 128 << 10;

  private ClientSockets() {}

  /** Configures {@code channel} to use these sockets. */
  static NettyChannelBuilder use(NettyChannelBuilder channel) {
    return channel
        .eventLoopGroup(Threads.GROUP)
        .channelFactory(ClientSockets::open)
        .withOption(
            ChannelOption.RECVBUF_ALLOCATOR,
            new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, MAX_READ_BYTES));
  }

  private static Channel open() {
    Channel socket = Epoll.isAvailable() ? new EpollSocketChannel() : new NioSocketChannel();
    socket.pipeline().addLast(new RequestLargeFrames());
    return socket;
  }

  /** The event loops of all channels: daemon threads, started on demand. */
  private static final class Threads {
    static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(0, factory(), io());

    private static DefaultThreadFactory factory() {
      return new DefaultThreadFactory("headrace-client", /* daemon= */ true);
    }

    private static IoHandlerFactory io() {
      return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }
  }

  /**
   * Sends the frame size setting once the peer's settings have arrived, after gRPC has sent its
   * own.
   */
  private static final class RequestLargeFrames extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
      if (http2 != null) {
        // Reads end in mid-frame; the default copies the rest of a frame and what is read next.
        http2.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR);
        ChannelHandlerContext at = context.pipeline().context(http2);
        var settings = new Http2Settings().maxFrameSize(FRAME_BYTES);
        var _ = http2.encoder().writeSettings(at, settings, at.newPromise());
        at.flush();
      }
      context.pipeline().remove(this);
      context.fireChannelRead(message);
    }
  }
}

package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the replies that wait in the transport because their peers do not read them. If they
 * exceed {@code limitBytes} in total, a connection is closed: the one with most of them beside its
 * newest, so that a peer that waits for one large reply does not pay for a peer that lets several
 * pile up. Closed is also a connection whose peer reads none of its replies for too long. The
 * newest reply of all does not count towards the limit, so that a single one may be larger. A reply
 * counts until its call ends or becomes ready again (server streaming), when all replies sent so
 * far count as read. Bidirectional calls are exempt: they have credit of their own. Thread-safe.
 */
final class UnreadReplies extends ServerTransportFilter implements ServerInterceptor {
  private static final Logger LOGGER = System.getLogger(UnreadReplies.class.getName());
  private static final Attributes.Key<Peer> PEER = Attributes.Key.create("untaken-replies");

  /** The overhead charged for each reply, so that many tiny replies are not free. */
  private static final int REPLY_OVERHEAD_BYTES = 256;

  /** The slowest rate at which a peer may read large replies. */
  private static final long MIN_BYTES_PER_SECOND = 256 << 10;

  private final long limitBytes;
  private final Duration timeout;
  private final Ticker ticker;
  private final Consumer<SocketAddress> closeConnection;
  private final Set<Peer> peers = ConcurrentHashMap.newKeySet();
  private final AtomicLong untaken = new AtomicLong();

  /**
   * @param limitBytes the bound on the bytes of unread replies
   * @param timeout how long a peer may read none of its replies, plus the time for their size
   * @param ticker measures the time without progress
   * @param closeConnection closes the connection of an address
   */
  UnreadReplies(
      long limitBytes, Duration timeout, Ticker ticker, Consumer<SocketAddress> closeConnection) {
    this.limitBytes = limitBytes;
    this.timeout = timeout;
    this.ticker = ticker;
    this.closeConnection = closeConnection;
  }

  void start(ScheduledExecutorService sweeper) {
    long period = Math.max(1, timeout.toNanos() / 4);
    var _ = sweeper.scheduleWithFixedDelay(this::sweep, period, period, NANOSECONDS);
  }

  /** The bytes of unread replies. */
  long bytes() {
    return untaken.get();
  }

  @Override
  public Attributes transportReady(Attributes transport) {
    @Nullable SocketAddress address = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    if (address == null) {
      return transport;
    }
    Peer peer = new Peer(address);
    peers.add(peer);
    return transport.toBuilder().set(PEER, peer).build();
  }

  @Override
  public void transportTerminated(@Nullable Attributes transport) {
    // The attributes are null if the connection ended before it spoke HTTP/2.
    @Nullable Peer peer = transport == null ? null : transport.get(PEER);
    if (peer != null) {
      peers.remove(peer);
    }
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    @Nullable Peer peer = call.getAttributes().get(PEER);
    if (peer == null || call.getMethodDescriptor().getType() == MethodType.BIDI_STREAMING) {
      return next.startCall(call, headers);
    }
    if (call.getMethodDescriptor().getType() == MethodType.SERVER_STREAMING) {
      // Otherwise a small reply would leave the call ready, and count until the call ends.
      call.setOnReadyThreshold(1);
    }
    CountedCall<Q, R> counted = new CountedCall<>(call, peer);
    return new CountedListener<>(next.startCall(counted, headers), counted);
  }

  /** Closes the connections of stuck peers; called once a period. */
  void sweep() {
    long now = ticker.nanoTime();
    for (Peer peer : peers) {
      if (peer.isStuck(now)) {
        close(peer, "took none of " + peer.bytes() + " bytes of replies for too long");
      }
    }
  }

  private void countSent(Peer peer, long bytes) {
    peer.countSent(bytes, ticker.nanoTime());
    long all = untaken.addAndGet(bytes);
    if (all - bytes > limitBytes) {
      makeRoom(bytes);
    }
  }

  private void countRead(Peer peer, long bytes) {
    peer.countRead(bytes, ticker.nanoTime());
    untaken.addAndGet(-bytes);
  }

  /**
   * Closes a connection if more is unread than the limit beside a reply of {@code newest} bytes.
   */
  private synchronized void makeRoom(long newest) {
    long staying = peers.stream().filter(peer -> !peer.closed).mapToLong(Peer::bytes).sum();
    if (staying - newest <= limitBytes) {
      return;
    }
    peers.stream()
        .filter(peer -> !peer.closed)
        .max(Comparator.comparingLong(Peer::bytesBesideNewest).thenComparingLong(Peer::bytes))
        .ifPresent(peer ->
            close(
                peer,
                "holds %d of the %d bytes of replies that may wait to be read"
                    .formatted(peer.bytes(), limitBytes)));
  }

  private void close(Peer peer, String why) {
    peer.closed = true;
    LOGGER.log(Level.WARNING, "closed the connection from {0}: it {1}", peer.address, why);
    closeConnection.accept(peer.address);
  }

  /** A connection and its unread replies. */
  private final class Peer {
    final SocketAddress address;
    volatile boolean closed;
    private long bytes;
    private long newest;
    private long progressNanos;

    Peer(SocketAddress address) {
      this.address = address;
    }

    synchronized long bytes() {
      return bytes;
    }

    /** The unread bytes but for the reply that was sent last, if it is still unread. */
    synchronized long bytesBesideNewest() {
      return Math.max(0, bytes - newest);
    }

    synchronized void countSent(long count, long nowNanos) {
      if (bytes == 0) {
        progressNanos = nowNanos;
      }
      bytes += count;
      newest = count;
    }

    synchronized void countRead(long count, long nowNanos) {
      bytes -= count;
      if (count >= newest) {
        newest = 0; // it is among those that were read, as far as one can tell
      }
      progressNanos = nowNanos;
    }

    synchronized boolean isStuck(long nowNanos) {
      Duration allowed = timeout.plusSeconds(bytes / MIN_BYTES_PER_SECOND);
      return bytes > 0 && !closed && nowNanos - progressNanos > allowed.toNanos();
    }
  }

  /** A call that counts its replies as unread from when they are sent. */
  private final class CountedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final Peer peer;
    private long bytes;
    private boolean ended;

    CountedCall(ServerCall<Q, R> call, Peer peer) {
      super(call);
      this.peer = peer;
    }

    @Override
    public void sendMessage(R message) {
      long size = REPLY_OVERHEAD_BYTES + sizeOf(message);
      synchronized (this) {
        if (ended) {
          return;
        }
        bytes += size;
      }
      countSent(peer, size);
      super.sendMessage(message);
    }

    void end() {
      countAllRead(/* last= */ true);
    }

    /** Counts all replies so far as read; after the {@code last} call no reply is sent. */
    void countAllRead(boolean last) {
      long size;
      synchronized (this) {
        ended |= last;
        size = bytes;
        bytes = 0;
      }
      if (size > 0) {
        countRead(peer, size);
      }
    }

    private static long sizeOf(Object message) {
      return switch (message) {
        case OutboundMessage outbound -> outbound.size();
        case MessageLite lite -> lite.getSerializedSize();
        default -> 0;
      };
    }
  }

  private static final class CountedListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final UnreadReplies.CountedCall<?, ?> call;

    CountedListener(ServerCall.Listener<Q> listener, UnreadReplies.CountedCall<?, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onReady() {
      call.countAllRead(/* last= */ false);
      super.onReady();
    }

    @Override
    public void onComplete() {
      call.end();
      super.onComplete();
    }

    @Override
    public void onCancel() {
      call.end();
      super.onCancel();
    }
  }
}

package io.headrace.rpc;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection from a peer to a {@link GrpcServer}, as long as it lasts. Thread-safe. */
public final class PeerConnection {
  private static final Attributes.Key<PeerConnection> KEY =
      Attributes.Key.create("peer-connection");

  private final AtomicReference<@Nullable Consumer<PeerConnection>> onClose =
      new AtomicReference<>();
  private volatile boolean closed;

  /** A connection that has begun. */
  public PeerConnection() {}

  /** The connection that {@code call} came by; null for a transport that has none. */
  public static @Nullable PeerConnection of(ServerCall<?, ?> call) {
    return call.getAttributes().get(KEY);
  }

  /**
   * Has {@code listener} told, once, when the connection is over; at once if it is. The first one
   * that is given stays the only one.
   */
  public void onClose(Consumer<PeerConnection> listener) {
    if (onClose.get() == null && onClose.compareAndSet(null, listener) && closed) {
      tell();
    }
  }

  /** Whether it is over. */
  public boolean isClosed() {
    return closed;
  }

  /** It is over: nothing comes by it any more. */
  public void close() {
    closed = true;
    tell();
  }

  private void tell() {
    Consumer<PeerConnection> listener = onClose.getAndSet(_ -> {});
    if (listener != null) {
      listener.accept(this);
    }
  }

  /** What gives each connection of a server one of these. */
  public static ServerTransportFilter filter() {
    return new Filter();
  }

  private static final class Filter extends ServerTransportFilter {
    @Override
    public Attributes transportReady(Attributes attributes) {
      return attributes.toBuilder().set(KEY, new PeerConnection()).build();
    }

    @Override
    public void transportTerminated(Attributes attributes) {
      PeerConnection connection = attributes == null ? null : attributes.get(KEY);
      if (connection != null) {
        connection.close();
      }
    }
  }
}

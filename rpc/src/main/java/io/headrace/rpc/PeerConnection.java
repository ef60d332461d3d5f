package io.headrace.rpc;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection of a peer to a {@link GrpcServer}. Thread-safe. */
public final class PeerConnection {
  private static final Attributes.Key<PeerConnection> KEY =
      Attributes.Key.create("peer-connection");

  private final AtomicReference<@Nullable Consumer<PeerConnection>> onClose =
      new AtomicReference<>();
  private volatile boolean closed;

  /** An open connection. */
  public PeerConnection() {}

  /** The connection of {@code call}; null for a transport without connections. */
  public static @Nullable PeerConnection of(ServerCall<?, ?> call) {
    return call.getAttributes().get(KEY);
  }

  /**
   * Calls {@code listener} once when the connection closes, or at once if it is closed. Only the
   * first listener is registered; later ones are ignored.
   */
  public void onClose(Consumer<PeerConnection> listener) {
    if (onClose.get() == null && onClose.compareAndSet(null, listener) && closed) {
      notifyListener();
    }
  }

  /** Whether the connection is closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Marks the connection as closed and calls the listener. */
  public void close() {
    closed = true;
    notifyListener();
  }

  private void notifyListener() {
    Consumer<PeerConnection> listener = onClose.getAndSet(_ -> {});
    if (listener != null) {
      listener.accept(this);
    }
  }

  /** A filter that attaches a PeerConnection to each connection of a server. */
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

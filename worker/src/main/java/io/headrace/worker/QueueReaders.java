package io.headrace.worker;

import io.headrace.rpc.PeerConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The readers of a queue. A reader with a stream is one until it leaves; if its stream breaks, it
 * is one for as long as rows would be held for it. A reader that asks for single elements does not
 * say that it leaves, so it is one until its connection closes. Guarded by the queue's lock.
 */
final class QueueReaders {
  /** How long after its last request a reader of single elements shares the queue. */
  private static final Duration UNARY_READER_TIMEOUT = Duration.ofSeconds(5);

  private final Map<Long, Long> brokenNanos = new HashMap<>();
  private final Set<PeerConnection> connections = new HashSet<>();
  private boolean unidentified;
  private int streams;
  private boolean unary;
  private long lastUnaryNanos;

  /** The reader {@code reader} has opened a stream; 0 if it is anonymous. */
  void open(long reader) {
    streams++;
    brokenNanos.remove(reader);
  }

  /** A reader has left its stream, and does not come back. */
  void leave() {
    streams--;
  }

  /** The stream of {@code reader} has broken. */
  void breakStream(long reader, long nowNanos) {
    streams--;
    forgetOverdue(nowNanos);
    brokenNanos.put(reader, nowNanos);
  }

  /** A reader asks for an element; its connection is null if it is not known. */
  void ask(@Nullable PeerConnection connection, long nowNanos) {
    unary = true;
    lastUnaryNanos = nowNanos;
    if (connection == null) {
      unidentified = true;
    } else if (!connection.isClosed()) {
      connections.add(connection);
    }
  }

  /** A connection has closed. */
  void close(PeerConnection connection) {
    connections.remove(connection);
  }

  /** Whether any reader has a stream. */
  boolean haveStreams() {
    return streams > 0;
  }

  /** Whether a stream has other readers beside it. */
  boolean areSeveral(long nowNanos) {
    return streams > 1 || (unary && nowNanos - lastUnaryNanos < UNARY_READER_TIMEOUT.toNanos());
  }

  /** Whether there is any reader, or may be. */
  boolean areAny(long nowNanos) {
    forgetOverdue(nowNanos);
    return streams > 0 || unidentified || !connections.isEmpty() || !brokenNanos.isEmpty();
  }

  private void forgetOverdue(long nowNanos) {
    brokenNanos.values().removeIf(since -> nowNanos - since > HeldRows.HOLD_TIMEOUT.toNanos());
  }
}

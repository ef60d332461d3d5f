package io.headrace.rpc;

import io.grpc.SynchronizationContext;
import io.grpc.stub.ServerCallStreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Replies to a call with a stream of messages, under flow control: each message is made when the
 * transport is ready for it. Thread-safe.
 *
 * @param <R> the type of the messages
 */
public final class StreamedReply<R> {
  private static final Logger LOGGER = System.getLogger(StreamedReply.class.getName());

  /**
   * The threshold of readiness: enough to keep the transport busy until the next messages are made.
   */
  private static final int READY_BYTES = 1 << 20;

  private final ServerCallStreamObserver<R> observer;

  /** Serializes the thread that calls {@link #send} and the transport's threads. */
  private final SynchronizationContext context =
      new SynchronizationContext(
          (_, failure) -> LOGGER.log(Level.ERROR, "a reply in parts failed", failure));

  private @Nullable Iterator<R> messages;

  private StreamedReply(ServerCallStreamObserver<R> observer) {
    this.observer = observer;
  }

  /** A reply to the call of {@code observer}; must be created before the call's handler returns. */
  public static <R> StreamedReply<R> to(ServerCallStreamObserver<R> observer) {
    StreamedReply<R> reply = new StreamedReply<>(observer);
    observer.setOnReadyThreshold(READY_BYTES);
    observer.setOnReadyHandler(() -> reply.context.execute(reply::pump));
    return reply;
  }

  /**
   * Sends all messages of {@code all} and then completes the call, without blocking. If {@code all}
   * throws, the call ends with that failure.
   */
  public void send(Iterator<R> all) {
    context.execute(() -> {
      messages = all;
      pump();
    });
  }

  private void pump() {
    @Nullable Iterator<R> rest = messages;
    if (rest == null || observer.isCancelled()) {
      return;
    }
    try {
      while (rest.hasNext() && observer.isReady()) {
        observer.onNext(rest.next());
      }
    } catch (RuntimeException e) {
      messages = null;
      observer.onError(GrpcStatuses.answerable(e));
      return;
    }
    if (!rest.hasNext()) {
      messages = null;
      observer.onCompleted();
    }
  }
}

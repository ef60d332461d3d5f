package io.headrace.rpc;

import io.grpc.SynchronizationContext;
import io.grpc.stub.ServerCallStreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Answers a call with messages, each made when the transport has room for it. Thread-safe.
 *
 * @param <R> the messages
 */
public final class StreamedReply<R> {
  private static final Logger LOGGER = System.getLogger(StreamedReply.class.getName());

  /** Enough for the transport to be busy until the next messages are there. */
  private static final int READY_BYTES = 1 << 20;

  private final ServerCallStreamObserver<R> observer;

  /** Whoever brings the messages and the transport's threads take turns in it. */
  private final SynchronizationContext context =
      new SynchronizationContext(
          (_, failure) -> LOGGER.log(Level.ERROR, "a reply in parts failed", failure));

  private @Nullable Iterator<R> messages;

  private StreamedReply(ServerCallStreamObserver<R> observer) {
    this.observer = observer;
  }

  /** A reply to the call of {@code observer}: made before the call's handler returns. */
  public static <R> StreamedReply<R> to(ServerCallStreamObserver<R> observer) {
    StreamedReply<R> reply = new StreamedReply<>(observer);
    observer.setOnReadyThreshold(READY_BYTES);
    observer.setOnReadyHandler(() -> reply.context.execute(reply::pump));
    return reply;
  }

  /**
   * Sends all of {@code all} and ends the call, in time; does not wait. What {@code all} throws is
   * what the call ends with.
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

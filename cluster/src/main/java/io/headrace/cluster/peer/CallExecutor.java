package io.headrace.cluster.peer;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.StreamedReply;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Serves the calls of the master and worker services. Calls that arrive before the server is
 * started wait for it. Thread-safe.
 */
public final class CallExecutor {
  /**
   * Handles a call on a thread that may block; throws the StatusException to answer with instead.
   */
  @FunctionalInterface
  public interface Handler<R> {
    /** The reply; {@code cancellation} is cancelled when the caller cancels the call. */
    R reply(Cancellation cancellation);
  }

  /** Handles a call without blocking. */
  @FunctionalInterface
  public interface LaterHandler<R> {
    /** The future reply. */
    CompletableFuture<R> reply(Cancellation cancellation);
  }

  private final CompletableFuture<Void> started;
  private final Executor threads;

  /**
   * @param started completes when the server starts
   * @param threads runs blocking handlers, each on a thread of its own
   */
  public CallExecutor(CompletableFuture<Void> started, Executor threads) {
    this.started = started;
    this.threads = threads;
  }

  public <R> void serve(StreamObserver<R> observer, Handler<R> handler) {
    Cancellation cancellation = cancellation(observer);
    var _ = started.thenRunAsync(() -> answer(observer, cancellation, handler), threads);
  }

  private static <R> void answer(
      StreamObserver<R> observer, Cancellation cancellation, Handler<R> handler) {
    R reply;
    try {
      reply = handler.reply(cancellation);
    } catch (RuntimeException e) {
      fail(observer, e);
      return;
    }
    succeed(observer, reply);
  }

  /** Serves a call with an asynchronous reply; no thread waits for it. */
  public <R> void serveLater(StreamObserver<R> observer, LaterHandler<R> handler) {
    Cancellation cancellation = cancellation(observer);
    var _ =
        started
            .thenCompose(_ -> handler.reply(cancellation))
            .whenComplete((reply, failure) -> finish(observer, reply, failure));
  }

  /**
   * Serves a call with an asynchronous reply that is streamed in parts.
   *
   * @param beforeUnimplemented the message that precedes an UNIMPLEMENTED of the handler, to tell
   *     it from that of a server without the method
   */
  public <R> void serveInParts(
      StreamObserver<R> observer, LaterHandler<Iterator<R>> handler, R beforeUnimplemented) {
    Cancellation cancellation = cancellation(observer);
    StreamedReply<R> reply = StreamedReply.to((ServerCallStreamObserver<R>) observer);
    var _ =
        started
            .thenCompose(_ -> handler.reply(cancellation))
            .whenComplete((parts, failure) -> {
              if (failure == null) {
                reply.send(parts);
                return;
              }
              StatusException status = FutureWaits.status(failure);
              if (status.code() == StatusCode.UNIMPLEMENTED) {
                observer.onNext(beforeUnimplemented);
              }
              fail(observer, status);
            });
  }

  private static <R> void finish(
      StreamObserver<R> observer, @Nullable R reply, @Nullable Throwable failure) {
    if (failure != null) {
      fail(observer, FutureWaits.status(failure));
    } else if (reply != null) {
      succeed(observer, reply);
    }
  }

  private static Cancellation cancellation(StreamObserver<?> observer) {
    Cancellation cancellation = new Cancellation();
    ((ServerCallStreamObserver<?>) observer).setOnCancelHandler(cancellation::cancel);
    return cancellation;
  }

  private static <R> void succeed(StreamObserver<R> observer, R reply) {
    observer.onNext(reply);
    observer.onCompleted();
  }

  /** Exceptions that are bugs pass unchanged; they are logged where the call is closed. */
  private static void fail(StreamObserver<?> observer, Throwable failure) {
    observer.onError(GrpcStatuses.answerable(failure));
  }
}

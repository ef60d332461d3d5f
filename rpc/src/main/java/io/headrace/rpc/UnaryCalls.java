package io.headrace.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headrace.runtime.status.StatusException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Adapts unary calls, for which gRPC's stubs use observers, to futures. */
public final class UnaryCalls {
  private UnaryCalls() {}

  /**
   * Starts a call and returns its future reply, which fails with a {@link StatusException}.
   * Cancelling the future does not cancel the call: give the stub a deadline.
   *
   * @param start starts the call, as in {@code observer -> stub.getVersion(request, observer)}
   */
  public static <R> CompletableFuture<R> call(Consumer<StreamObserver<R>> start) {
    ReplyObserver<R> observer = new ReplyObserver<>();
    start.accept(observer);
    return observer.reply;
  }

  /** Answers a call with {@code reply}, or with its failure, once it completes. */
  public static <R> void answer(CompletableFuture<R> reply, StreamObserver<R> observer) {
    var _ = reply.whenComplete((value, failure) -> answer(value, failure, observer));
  }

  /** The cause of {@code failure}, without the CompletionException of a dependent future. */
  public static Throwable cause(Throwable failure) {
    @Nullable Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static <R> void answer(
      @Nullable R value, @Nullable Throwable failure, StreamObserver<R> observer) {
    if (observer instanceof ServerCallStreamObserver<R> call && call.isCancelled()) {
      // gRPC would log that the reply was lost.
      return;
    }
    if (failure != null) {
      observer.onError(GrpcStatuses.answerable(cause(failure)));
    } else if (value != null) {
      observer.onNext(value);
      observer.onCompleted();
    }
  }

  /** Completes a future with the reply of a call. */
  private static final class ReplyObserver<R> implements StreamObserver<R> {
    private final CompletableFuture<R> reply = new CompletableFuture<>();

    @Override
    public void onNext(R value) {
      reply.complete(value);
    }

    @Override
    public void onError(Throwable failure) {
      reply.completeExceptionally(GrpcStatuses.fromGrpc(failure));
    }

    @Override
    public void onCompleted() {
      // onNext() has completed the future.
    }
  }
}

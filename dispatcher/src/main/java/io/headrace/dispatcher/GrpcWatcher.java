package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.stub.ServerCallStreamObserver;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.rpc.IterationUpdates;
import io.headrace.runtime.status.StatusException;
import org.jspecify.annotations.Nullable;

/**
 * A watching client at the other end of a gRPC stream. While the stream is not ready, pending
 * messages are merged into one. Thread-safe.
 */
final class GrpcWatcher implements IterationWatchers.Watcher {
  private final ServerCallStreamObserver<WatchIterationResponse> observer;

  @GuardedBy("this")
  private @Nullable WatchIterationResponse unsent;

  @GuardedBy("this")
  private boolean ended;

  GrpcWatcher(ServerCallStreamObserver<WatchIterationResponse> observer) {
    this.observer = observer;
  }

  /** Sends whenever the stream is ready. Must be called before the call's handler returns. */
  void begin(Runnable onCancel) {
    observer.setOnReadyHandler(this::send);
    observer.setOnCancelHandler(onCancel);
  }

  @Override
  public void tell(WatchIterationResponse response) {
    synchronized (this) {
      unsent = unsent == null ? response : IterationUpdates.merge(unsent, response);
    }
    send();
  }

  @Override
  public void fail(StatusException reason) {
    end(reason);
  }

  synchronized void end(Throwable reason) {
    if (!ended) {
      ended = true;
      observer.onError(reason);
    }
  }

  private synchronized void send() {
    @Nullable WatchIterationResponse response = unsent;
    if (response == null || ended || !observer.isReady()) {
      return;
    }
    unsent = null;
    observer.onNext(response);
    if (response.getIterationFinished()) {
      ended = true;
      observer.onCompleted();
    }
  }
}

package io.headrace.dataset.execute.reader;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serializes calls that may block, on a virtual thread that lives while calls are pending.
 * Thread-safe.
 */
final class SerialCalls {
  private record Call(
      Supplier<List<Tensor>> body,
      Consumer<List<Tensor>> unclaimed,
      CompletableFuture<List<Tensor>> result) {
    void cancel() {
      result.completeExceptionally(
          new StatusException(StatusCode.CANCELLED, "the operation was cancelled"));
    }

    void make() {
      if (result.isDone()) {
        return;
      }
      try {
        List<Tensor> value = body.get();
        if (!result.complete(value)) {
          unclaimed.accept(value);
        }
      } catch (StatusException e) {
        result.completeExceptionally(e);
      } catch (RuntimeException | OutOfMemoryError e) {
        result.completeExceptionally(
            new StatusException(StatusCode.INTERNAL, String.valueOf(e), e));
      }
    }
  }

  private final Deque<Call> calls = new ArrayDeque<>();
  private boolean isRunning;

  /**
   * Queues a call behind the earlier ones.
   *
   * @param unclaimed receives the result of a call that was cancelled while it ran
   * @return the result; a call that is cancelled before its turn is not run
   */
  CompletableFuture<List<Tensor>> submit(
      Supplier<List<Tensor>> body, Consumer<List<Tensor>> unclaimed, Cancellation cancellation) {
    Call call = new Call(body, unclaimed, new CompletableFuture<>());
    Cancellation.Registration registration = cancellation.onCancel(call::cancel);
    var _ = call.result().whenComplete((_, _) -> registration.close());
    synchronized (this) {
      calls.add(call);
      if (isRunning) {
        return call.result();
      }
      isRunning = true;
    }
    var _ = Thread.ofVirtual().name("serial-calls").start(this::makeAll);
    return call.result();
  }

  private void makeAll() {
    for (Call call = next(); call != null; call = next()) {
      call.make();
    }
  }

  private synchronized @Nullable Call next() {
    Call call = calls.poll();
    isRunning = call != null;
    return call;
  }
}

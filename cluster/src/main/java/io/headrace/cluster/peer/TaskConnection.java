package io.headrace.cluster.peer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.headrace.proto.tensorflow.GetStatusRequest;
import io.headrace.proto.tensorflow.GetStatusResponse;
import io.headrace.proto.tensorflow.WorkerServiceGrpc;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a task, and the calls that wait for it. While one does, the task is asked for a
 * sign of life (GetStatus, which every task answers, stock or ours; pings of HTTP/2 would be taken
 * for an attack by stock ones). A task that gives none within the time that it has is taken for
 * lost: all that waits for it then fails with UNAVAILABLE. Thread-safe.
 */
final class TaskConnection {
  private final String address;
  private final Duration timeout;
  private final ManagedChannel channel;
  private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

  /** Which look at the waiting calls is the next. */
  private final AtomicLong look = new AtomicLong();

  private volatile boolean isAsked;
  private volatile boolean handsOverParts = true;

  /** A call that waits for the task, and how to end it. */
  private record Wait(long since, Consumer<StatusException> lost) {}

  /**
   * @param timeout how long the task may be silent once it was asked
   */
  TaskConnection(String address, Duration timeout) {
    this.address = address;
    this.timeout = timeout;
    this.channel = GrpcChannels.openForTensors(address);
  }

  /** How long the task may be silent once it was asked for a sign of life. */
  Duration timeout() {
    return timeout;
  }

  /** Begins a call; a task that was restarted is found at once. */
  <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    Context outer = Context.ROOT.attach(); // it may outlive the call that it is made for
    try {
      return channel.newCall(method, options);
    } finally {
      Context.ROOT.detach(outer);
    }
  }

  /** Whether the task may hand tensors over in parts: until it is found out that it does not. */
  boolean handsOverParts() {
    return handsOverParts;
  }

  /** It is a stock one. */
  void handsOverWhole() {
    handsOverParts = false;
  }

  /** Has {@code lost} told if the task is lost before {@code reply} is there. */
  void watch(CompletableFuture<?> reply, Consumer<StatusException> lost) {
    Wait wait = new Wait(look.get(), lost);
    waiting.add(wait);
    var _ = reply.whenComplete((_, _) -> waiting.remove(wait));
  }

  /** Asks the task for a sign of life if a call has waited since before the last look. */
  void look() {
    long now = look.getAndIncrement();
    List<Wait> old = waiting.stream().filter(wait -> wait.since() < now).toList();
    if (old.isEmpty() || isAsked) {
      return;
    }
    isAsked = true;
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), NANOSECONDS);
    var _ =
        UnaryCalls.<GetStatusResponse>call(observer ->
                ClientCalls.asyncUnaryCall(
                    newCall(WorkerServiceGrpc.getGetStatusMethod(), options),
                    GetStatusRequest.getDefaultInstance(),
                    observer))
            .whenComplete((_, failure) -> answered(old, failure));
  }

  private void answered(List<Wait> old, @Nullable Throwable failure) {
    isAsked = false;
    // Any other failure is an answer, or that of a connection, which the calls hear of themselves.
    if (failure != null
        && StatusException.codeOf(UnaryCalls.cause(failure)) == StatusCode.DEADLINE_EXCEEDED) {
      channel.enterIdle(); // the next call takes another connection
      StatusException silent =
          StatusException.of(
              StatusCode.UNAVAILABLE,
              "the task at %s was asked for a sign of life and gave none for %s ms: it hangs, or"
                  + " is cut off",
              address,
              timeout.toMillis());
      old.forEach(wait -> wait.lost().accept(silent));
    }
  }

  void close() {
    GrpcChannels.close(channel);
  }
}

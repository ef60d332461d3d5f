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
 * The connection to a task and its outstanding calls. While calls are outstanding, keep-alive
 * probes are sent: GetStatus, which every task answers, stock or ours (stock tasks take HTTP/2
 * pings for an attack). A task that leaves a probe unanswered for the timeout is considered lost,
 * and the calls for which the probe was sent fail with UNAVAILABLE. Thread-safe.
 */
final class TaskConnection {
  private final String address;
  private final Duration timeout;
  private final ManagedChannel channel;
  private final Set<PendingCall> pending = ConcurrentHashMap.newKeySet();

  /** The number of the next probe round. */
  private final AtomicLong probeRound = new AtomicLong();

  private volatile boolean probeInFlight;
  private volatile boolean sendsParts = true;

  /** An outstanding call: the probe round in which it started, and how to fail it. */
  private record PendingCall(long since, Consumer<StatusException> lost) {}

  /**
   * @param timeout how long the task may leave a keep-alive probe unanswered
   */
  TaskConnection(String address, Duration timeout) {
    this.address = address;
    this.timeout = timeout;
    this.channel = GrpcChannels.openForTensors(address);
  }

  /** How long the task may leave a keep-alive probe unanswered. */
  Duration timeout() {
    return timeout;
  }

  /**
   * Starts a call; resets the channel's connect back-off, so that a restarted task is found at
   * once.
   */
  <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    Context outer = Context.ROOT.attach(); // the call may outlive the inbound call it is made for
    try {
      return channel.newCall(method, options);
    } finally {
      Context.ROOT.detach(outer);
    }
  }

  /** Whether to request tensors in parts: true until the task is known to be a stock one. */
  boolean sendsParts() {
    return sendsParts;
  }

  /** Records that the task is a stock one, which sends tensors whole only. */
  void setSendsWhole() {
    sendsParts = false;
  }

  /** Calls {@code lost} if the task is lost before {@code reply} completes. */
  void watch(CompletableFuture<?> reply, Consumer<StatusException> lost) {
    PendingCall call = new PendingCall(probeRound.get(), lost);
    pending.add(call);
    var _ = reply.whenComplete((_, _) -> pending.remove(call));
  }

  /** Sends a keep-alive probe if a call has been outstanding since before the last round. */
  void probe() {
    long round = probeRound.getAndIncrement();
    List<PendingCall> old = pending.stream().filter(call -> call.since() < round).toList();
    if (old.isEmpty() || probeInFlight) {
      return;
    }
    probeInFlight = true;
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), NANOSECONDS);
    var _ =
        UnaryCalls.<GetStatusResponse>call(observer ->
                ClientCalls.asyncUnaryCall(
                    newCall(WorkerServiceGrpc.getGetStatusMethod(), options),
                    GetStatusRequest.getDefaultInstance(),
                    observer))
            .whenComplete((_, failure) -> probeAnswered(old, failure));
  }

  private void probeAnswered(List<PendingCall> old, @Nullable Throwable failure) {
    probeInFlight = false;
    // Any other failure is an answer, or a broken connection, which fails the calls by itself.
    if (failure != null
        && StatusException.codeOf(UnaryCalls.cause(failure)) == StatusCode.DEADLINE_EXCEEDED) {
      channel.enterIdle(); // the next call opens a new connection
      StatusException silent =
          StatusException.of(
              StatusCode.UNAVAILABLE,
              "the task at %s was asked for a sign of life and gave none for %s ms: it hangs, or"
                  + " is cut off",
              address,
              timeout.toMillis());
      old.forEach(call -> call.lost().accept(silent));
    }
  }

  void close() {
    GrpcChannels.close(channel);
  }
}

package io.headrace.cluster;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.spec.TaskAddress;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of a task's master, with the retries of TensorFlow's sessions: a call waits for a master
 * that does not listen yet, and is retried with back-off if the connection breaks (UNAVAILABLE).
 * Thread-safe.
 */
final class MasterClient implements AutoCloseable {
  private static final String SCHEME = "grpc://";
  private static final int MAX_ATTEMPTS = 11;
  private static final double INITIAL_BACKOFF_MILLIS = 1;
  private static final double BACKOFF_FACTOR = 1.3;

  private final String target;
  private final ManagedChannel channel;

  private MasterClient(String target, ManagedChannel channel) {
    this.target = target;
    this.channel = channel;
  }

  /** Connects with the first call. NOT_FOUND if {@code target} is not {@code grpc://host:port}. */
  static MasterClient open(String target) {
    if (!target.startsWith(SCHEME)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "No session factory registered for the target %s: a target is grpc://host:port",
          target);
    }
    String address = target.substring(SCHEME.length());
    TaskAddress.parse(address);
    return new MasterClient(target, GrpcChannels.open(address));
  }

  String target() {
    return target;
  }

  /** Whether there is a connection to the master now. */
  boolean isConnected() {
    return channel.getState(false) == ConnectivityState.READY;
  }

  /** The deadline of a call, if any, and the caller's cancellation. */
  record Limits(Optional<Duration> timeout, Cancellation cancellation) {
    static Limits within(Duration timeout) {
      return new Limits(Optional.of(timeout), new Cancellation());
    }
  }

  /**
   * The reply to {@code request}; throws the StatusException that the master answers with, and
   * CANCELLED if this thread is interrupted.
   */
  <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Limits limits) {
    double pauseMillis = INITIAL_BACKOFF_MILLIS;
    for (int attempt = 1; ; attempt++) {
      try {
        return callOnce(method, request, limits);
      } catch (StatusException e) {
        if (e.code() != StatusCode.UNAVAILABLE || attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
      pause(pauseMillis);
      pauseMillis *= BACKOFF_FACTOR;
    }
  }

  private static void pause(double millis) {
    try {
      double jitter = 0.6 + ThreadLocalRandom.current().nextDouble() * 0.4;
      Thread.sleep(Duration.ofNanos((long) (millis * jitter * 1e6)));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private <Q, R> R callOnce(MethodDescriptor<Q, R> method, Q request, Limits limits) {
    limits.cancellation().check();
    CallOptions options = CallOptions.DEFAULT.withWaitForReady();
    if (limits.timeout().isPresent()) {
      options = options.withDeadlineAfter(limits.timeout().get().toNanos(), TimeUnit.NANOSECONDS);
    }
    ClientCall<Q, R> call = channel.newCall(method, options);
    // Started before it can be cancelled: gRPC refuses to start a call that was cancelled.
    CompletableFuture<R> reply =
        UnaryCalls.call(observer -> ClientCalls.asyncUnaryCall(call, request, observer));
    try (var _ =
        limits.cancellation().onCancel(() -> call.cancel("cancelled by its caller", null))) {
      return reply.get();
    } catch (InterruptedException e) {
      call.cancel("its caller was interrupted", e);
      throw interrupted(e);
    } catch (ExecutionException e) {
      @Nullable Throwable cause = e.getCause();
      throw withAddress(FutureWaits.status(cause == null ? e : cause), limits);
    }
  }

  /**
   * {@code failure}, or one that names the address if the deadline passed before a connection was
   * made.
   */
  private StatusException withAddress(StatusException failure, Limits limits) {
    if (failure.code() != StatusCode.DEADLINE_EXCEEDED
        || isConnected()
        || limits.timeout().isEmpty()) {
      return failure;
    }
    return StatusException.of(
        StatusCode.DEADLINE_EXCEEDED,
        "no task could be reached at %s within %d ms: nobody listens there, or it is cut off",
        target.substring(SCHEME.length()),
        limits.timeout().get().toMillis());
  }

  private static StatusException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new StatusException(StatusCode.CANCELLED, "interrupted while waiting for a master", e);
  }

  @Override
  public void close() {
    GrpcChannels.close(channel);
  }
}

package io.headrace.client;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * A stub of a dispatcher that retries calls while the dispatcher is unreachable. Thread-safe.
 * Closing it closes its connection.
 */
final class DispatcherClient implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(DispatcherClient.class.getName());
  private static final long VERSION = 9;

  /** The fence against superseded dispatchers, shared by the readers of this process. */
  private static final EpochFence FENCE = new EpochFence();

  /**
   * The waits after which a warning is logged, in seconds; later ones come in the last distance.
   */
  private static final long[] WARNED_SECONDS = {10, 30, 60, 300};

  private final String address;
  private final ConnectionPool.Connection connection;
  private final Ticker ticker;
  private final Backoff backoff;
  private final ClientInterceptor fencing;

  private DispatcherClient(
      String address, ConnectionPool.Connection connection, Ticker ticker, RandomGenerator random) {
    this.address = address;
    this.connection = connection;
    this.ticker = ticker;
    this.backoff = new Backoff(random);
    fencing = FENCE.ofAnswers(connection::renew);
  }

  /**
   * Connects to the dispatcher at {@code target}, waiting until it is reachable, and checks its
   * version: FAILED_PRECONDITION if it is not that of TensorFlow 2.21.
   *
   * @param timeout bounds the wait, with DEADLINE_EXCEEDED; without end if empty
   */
  static DispatcherClient open(
      String target,
      Ticker ticker,
      RandomGenerator random,
      Cancellation cancellation,
      Optional<Duration> timeout) {
    String address = GrpcTargets.address(target);
    DispatcherClient client =
        new DispatcherClient(address, ConnectionPool.SHARED.open(address), ticker, random);
    try {
      client.checkVersion(cancellation, timeout);
    } catch (StatusException e) {
      client.close();
      throw e;
    }
    return client;
  }

  private void checkVersion(Cancellation cancellation, Optional<Duration> timeout) {
    long version = version(cancellation, timeout);
    if (version != VERSION) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Version mismatch with tf.data service server at %s. The server is running version %d,"
              + " while the client is running version %d. Please ensure that the client and server"
              + " side are running the same version.",
          address,
          version,
          VERSION);
    }
  }

  private long version(Cancellation cancellation, Optional<Duration> timeout) {
    try {
      return call(
              DispatcherServiceGrpc.getGetVersionMethod(),
              GetVersionRequest.getDefaultInstance(),
              cancellation,
              timeout)
          .getVersion();
    } catch (StatusException e) {
      throw e.code() == StatusCode.UNIMPLEMENTED
          ? e.in(
              "the server at %s is no dispatcher (is it the address of a worker?)"
                  .formatted(address))
          : e;
    }
  }

  /**
   * The channel, which refuses replies of superseded dispatchers and reconnects at once if need be.
   */
  Channel channel() {
    return ClientInterceptors.intercept(connection.channel(), fencing);
  }

  String address() {
    return address;
  }

  Backoff backoff() {
    return backoff;
  }

  /** Retries a call until it succeeds, fails with a permanent failure, or is cancelled. */
  <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Cancellation cancellation) {
    return call(method, request, cancellation, Optional.empty());
  }

  private <Q, R> R call(
      MethodDescriptor<Q, R> method,
      Q request,
      Cancellation cancellation,
      Optional<Duration> timeout) {
    long started = ticker.nanoTime();
    long limit = timeout.map(Duration::toNanos).orElse(Long.MAX_VALUE);
    long waited = 0;
    int warnings = 0;
    for (int attempt = 0; ; attempt++) {
      cancellation.check();
      try {
        return timeout.isEmpty()
            ? callOnce(method, request, cancellation)
            : callOnce(method, request, cancellation, Duration.ofNanos(limit - waited));
      } catch (StatusException e) {
        waited = ticker.nanoTime() - started;
        if (isOver(e, waited, limit)) {
          throw notReached(e, limit, attempt + 1);
        }
        if (!e.code().isRetriable() || cancellation.isCancelled()) {
          throw e.in("Failed to call " + method.getBareMethodName() + " of dispatcher " + address);
        }
        if (waited >= warnedNanos(warnings)) {
          warnings++;
          warn(e, waited);
        }
      }
      sleep(Math.min(backoff.nanos(attempt), limit - waited), cancellation);
    }
  }

  private static boolean isOver(StatusException failure, long waited, long limit) {
    boolean expired = failure.code() == StatusCode.DEADLINE_EXCEEDED;
    return limit < Long.MAX_VALUE && (expired || (failure.code().isRetriable() && waited >= limit));
  }

  private StatusException notReached(StatusException failure, long limit, int attempts) {
    return new StatusException(
        StatusCode.DEADLINE_EXCEEDED,
        "the dispatcher at %s %s within %d s, in %d attempts: %s; is it running, and is this its address?"
                .formatted(
                    address,
                    GrpcStatuses.isRefused(failure) ? "took no connection" : "did not answer",
                    TimeUnit.NANOSECONDS.toSeconds(limit),
                    attempts,
                    failure.getMessage())
            + " DistributeOptions.withDispatcherTimeout sets how long to wait",
        failure);
  }

  /** The wait after which a warning comes that follows {@code warnings} others. */
  static long warnedNanos(int warnings) {
    int last = WARNED_SECONDS.length - 1;
    long seconds =
        warnings <= last ? WARNED_SECONDS[warnings] : WARNED_SECONDS[last] * (warnings - last + 1L);
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  private void warn(StatusException reason, long waited) {
    LOGGER.log(
        Level.WARNING,
        () ->
            "waiting for the dispatcher at %s for %d s: %s"
                .formatted(address, TimeUnit.NANOSECONDS.toSeconds(waited), reason.getMessage()));
  }

  /** Calls once, without retries. */
  <Q, R> R callOnce(MethodDescriptor<Q, R> method, Q request, Cancellation cancellation) {
    return callOnce(method, request, cancellation, CallOptions.DEFAULT);
  }

  /** Calls once, with a deadline. */
  <Q, R> R callOnce(
      MethodDescriptor<Q, R> method, Q request, Cancellation cancellation, Duration deadline) {
    return callOnce(
        method,
        request,
        cancellation,
        CallOptions.DEFAULT.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS));
  }

  private <Q, R> R callOnce(
      MethodDescriptor<Q, R> method, Q request, Cancellation cancellation, CallOptions options) {
    return await(channel().newCall(method, options), request, cancellation);
  }

  /** The reply to a call; its failure is a StatusException. */
  static <Q, R> R await(ClientCall<Q, R> call, Q request, Cancellation cancellation) {
    ListenableFuture<R> reply = ClientCalls.futureUnaryCall(call, request);
    try (var _ = cancellation.onCancel(() -> reply.cancel(true))) {
      return reply.get();
    } catch (CancellationException e) {
      throw new StatusException(StatusCode.CANCELLED, "the call was cancelled", e);
    } catch (ExecutionException e) {
      throw GrpcStatuses.fromGrpc(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reply.cancel(true);
      throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
    }
  }

  /** Sleeps for {@code nanos}, or until {@code cancellation} is cancelled. */
  static void sleep(long nanos, Cancellation cancellation) {
    CountDownLatch cancelled = new CountDownLatch(1);
    try (var _ = cancellation.onCancel(cancelled::countDown)) {
      if (cancelled.await(nanos, TimeUnit.NANOSECONDS)) {
        cancellation.check();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}

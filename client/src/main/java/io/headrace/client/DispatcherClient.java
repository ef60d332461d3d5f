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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Calls a dispatcher, again and again while it cannot be reached. Thread-safe. Closing it closes
 * its connection.
 */
final class DispatcherClient implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(DispatcherClient.class.getName());
  private static final long VERSION = 9;

  /** What any reader in this process has heard of, all know. */
  private static final EpochFence FENCE = new EpochFence();

  private static final long SAY_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String address;
  private final Connections.Connection connection;
  private final Ticker ticker;
  private final Backoff backoff;
  private final ClientInterceptor fencing;

  private DispatcherClient(
      String address, Connections.Connection connection, Ticker ticker, RandomGenerator random) {
    this.address = address;
    this.connection = connection;
    this.ticker = ticker;
    this.backoff = new Backoff(random);
    fencing = FENCE.ofAnswers(connection::renew);
  }

  /**
   * A client of the dispatcher at {@code target}, whose version it checks: FAILED_PRECONDITION if
   * that is not TensorFlow 2.21's. Waits for a dispatcher that is not there.
   */
  static DispatcherClient open(
      String target, Ticker ticker, RandomGenerator random, Cancellation cancellation) {
    String address = GrpcTargets.address(target);
    DispatcherClient client =
        new DispatcherClient(address, Connections.SHARED.open(address), ticker, random);
    try {
      client.checkVersion(cancellation);
    } catch (StatusException e) {
      client.close();
      throw e;
    }
    return client;
  }

  private void checkVersion(Cancellation cancellation) {
    long version =
        call(
                DispatcherServiceGrpc.getGetVersionMethod(),
                GetVersionRequest.getDefaultInstance(),
                cancellation)
            .getVersion();
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

  /** The channel, ready to connect at once if it must. */
  Channel channel() {
    return ClientInterceptors.intercept(connection.channel(), fencing);
  }

  String address() {
    return address;
  }

  Backoff backoff() {
    return backoff;
  }

  /** Calls until there is an answer that is not to be tried again, or until cancelled. */
  <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Cancellation cancellation) {
    long started = ticker.nanoTime();
    long saidNanos = started;
    for (int attempt = 0; ; attempt++) {
      cancellation.check();
      try {
        return callOnce(method, request, cancellation);
      } catch (StatusException e) {
        if (!e.code().isRetriable() || cancellation.isCancelled()) {
          throw e.in("Failed to call " + method.getBareMethodName() + " of dispatcher " + address);
        }
        if (ticker.nanoTime() - saidNanos > SAY_AFTER_NANOS) {
          saidNanos = ticker.nanoTime();
          long seconds = TimeUnit.NANOSECONDS.toSeconds(saidNanos - started);
          LOGGER.log(
              Level.WARNING,
              () ->
                  "waiting for the dispatcher at %s for %d s: %s"
                      .formatted(address, seconds, e.getMessage()));
        }
      }
      sleep(backoff.nanos(attempt), cancellation);
    }
  }

  /** Calls once; UNAVAILABLE and the like are thrown. */
  <Q, R> R callOnce(MethodDescriptor<Q, R> method, Q request, Cancellation cancellation) {
    return callOnce(method, request, cancellation, CallOptions.DEFAULT);
  }

  /** Calls once, for {@code deadline} at most. */
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
    ClientCall<Q, R> call = channel().newCall(method, options);
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

  /** Sleeps until the time is over or {@code cancellation} is cancelled. */
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

package io.headrace.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.headrace.proto.headrace.DispatcherAdminGrpc;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminBlockingStub;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.function.Function;

/** Calls of a dispatcher's service for operators, each bounded in time. Thread-safe. */
final class AdminCalls implements AutoCloseable {
  private final String address;
  private final ManagedChannel channel;
  private final Duration timeout;

  /**
   * Calls of the dispatcher at {@code target}, to which nothing is sent yet.
   *
   * @throws StatusException as {@link GrpcTargets#address} does
   */
  AdminCalls(String target, Duration timeout) {
    this.address = GrpcTargets.address(target);
    this.timeout = timeout;
    channel = GrpcChannels.open(address);
  }

  /**
   * The answer to {@code request}.
   *
   * @throws StatusException UNIMPLEMENTED if it is no dispatcher of Headrace; UNAVAILABLE if it
   *     can't be reached; DEADLINE_EXCEEDED if it does not answer in time
   */
  <R> R ask(Function<DispatcherAdminBlockingStub, R> request) {
    return ask(Duration.ZERO, request);
  }

  /** The answer to {@code request}, to which the dispatcher takes {@code more} time. */
  <R> R ask(Duration more, Function<DispatcherAdminBlockingStub, R> request) {
    Duration limit = timeout.plus(more);
    try {
      channel.resetConnectBackoff();
      return request.apply(
          DispatcherAdminGrpc.newBlockingStub(channel)
              .withDeadlineAfter(limit.toNanos(), NANOSECONDS));
    } catch (StatusRuntimeException e) {
      throw explained(GrpcStatuses.fromGrpc(e), limit);
    }
  }

  private StatusException explained(StatusException failure, Duration limit) {
    return switch (failure.code()) {
      case UNIMPLEMENTED ->
          StatusException.unimplemented(
              "%s is no Headrace dispatcher: it does not know this request (nor does"
                  + " any worker, or a dispatcher of TensorFlow's own)",
              address);
      case DEADLINE_EXCEEDED ->
          StatusException.of(
              StatusCode.DEADLINE_EXCEEDED,
              "the dispatcher at %s did not answer within %d ms: its host may be cut off, or its"
                  + " journal may hang",
              address,
              limit.toMillis());
      case UNAVAILABLE ->
          StatusException.of(
              StatusCode.UNAVAILABLE,
              "no dispatcher answers at %s: %s",
              address,
              String.valueOf(failure.getMessage()));
      default -> failure;
    };
  }

  @Override
  public void close() {
    GrpcChannels.close(channel);
  }
}

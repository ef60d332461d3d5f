package io.headrace.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.headrace.proto.headrace.DispatcherAdminGrpc;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminBlockingStub;
import io.headrace.proto.headrace.GetJobStatisticsRequest;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.function.Function;

/** Asks a dispatcher what it does, which changes nothing. Thread-safe. */
public final class DispatcherInspection implements AutoCloseable {
  /** The most entries of a list in one answer. */
  private static final long PAGE = 500;

  private final String address;
  private final ManagedChannel channel;
  private final Duration timeout;

  private DispatcherInspection(String address, Duration timeout) {
    this.address = address;
    this.timeout = timeout;
    channel = GrpcChannels.open(address);
  }

  /**
   * An inspection of the dispatcher at {@code target}, which it does not call yet.
   *
   * @param timeout bounds each request
   * @throws StatusException as {@link GrpcTargets#address} does
   */
  public static DispatcherInspection of(String target, Duration timeout) {
    return new DispatcherInspection(GrpcTargets.address(target), timeout);
  }

  /**
   * The dispatcher's state, with at most {@code maxEntries} entries of each list. Long lists take
   * several requests, so an entry that comes or goes meanwhile may be there twice or be missing.
   *
   * @throws StatusException UNIMPLEMENTED if it is no dispatcher of Headrace; UNAVAILABLE if it
   *     can't be reached; DEADLINE_EXCEEDED if it does not answer in time
   */
  public GetStatusResponse status(long maxEntries) {
    GetStatusResponse.Builder whole = page(0, Math.min(PAGE, maxEntries)).toBuilder();
    for (long seen = PAGE; seen < maxEntries && isCut(whole); seen += PAGE) {
      // Merging adds to the lists and replaces the counts; 0 would not replace one.
      GetStatusResponse next = page(seen, Math.min(PAGE, maxEntries - seen));
      whole
          .mergeFrom(next)
          .setWorkersLeftOut(next.getWorkersLeftOut())
          .setDatasetsLeftOut(next.getDatasetsLeftOut())
          .setJobsLeftOut(next.getJobsLeftOut())
          .setReadersLeftOut(next.getReadersLeftOut())
          .setDispatcher(next.getDispatcher());
    }
    return whole.build();
  }

  /**
   * Where the time of a job goes, and what limits it.
   *
   * @param job its name or id
   * @throws StatusException NOT_FOUND without such a job; otherwise as {@link #status}
   */
  public JobStatistics statistics(String job) {
    return ask(
        stub -> stub.getJobStatistics(GetJobStatisticsRequest.newBuilder().setJob(job).build()));
  }

  @Override
  public void close() {
    GrpcChannels.close(channel);
  }

  private static boolean isCut(GetStatusResponse.Builder page) {
    return page.getWorkersLeftOut()
            + page.getDatasetsLeftOut()
            + page.getJobsLeftOut()
            + page.getReadersLeftOut()
        > 0;
  }

  private GetStatusResponse page(long skip, long entries) {
    return ask(stub ->
        stub.getStatus(GetStatusRequest.newBuilder().setSkip(skip).setMaxEntries(entries).build()));
  }

  private <R> R ask(Function<DispatcherAdminBlockingStub, R> request) {
    try {
      channel.resetConnectBackoff();
      return request.apply(
          DispatcherAdminGrpc.newBlockingStub(channel)
              .withDeadlineAfter(timeout.toNanos(), NANOSECONDS));
    } catch (StatusRuntimeException e) {
      throw explained(GrpcStatuses.fromGrpc(e));
    }
  }

  private StatusException explained(StatusException failure) {
    return switch (failure.code()) {
      case UNIMPLEMENTED ->
          StatusException.unimplemented(
              "%s is no Headrace dispatcher: it does not know the request for its status (nor does"
                  + " any worker, or a dispatcher of TensorFlow's own)",
              address);
      case DEADLINE_EXCEEDED ->
          StatusException.of(
              StatusCode.DEADLINE_EXCEEDED,
              "the dispatcher at %s did not answer within %d ms: its host may be cut off, or its"
                  + " journal may hang",
              address,
              timeout.toMillis());
      case UNAVAILABLE ->
          StatusException.of(
              StatusCode.UNAVAILABLE,
              "no dispatcher answers at %s: %s",
              address,
              String.valueOf(failure.getMessage()));
      default -> failure;
    };
  }
}

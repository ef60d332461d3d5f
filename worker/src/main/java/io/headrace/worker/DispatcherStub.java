package io.headrace.worker;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.DisableCompressionAtRuntimeResponse;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetSnapshotSplitRequest;
import io.headrace.proto.data.GetSnapshotSplitResponse;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.WorkerHeartbeatRequest;
import io.headrace.proto.data.WorkerHeartbeatResponse;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.headrace.DescribeTaskRequest;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatRequest;
import io.headrace.proto.headrace.ExtendedWorkerHeartbeatResponse;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportStagesRequest;
import io.headrace.proto.headrace.ReportStagesResponse;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.TakeSnapshotSplitsResponse;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A worker's stub of the dispatcher. Calls block, each attempt for 30 s at most, and fail with a
 * StatusException. Thread-safe.
 */
final class DispatcherStub {
  /** TensorFlow's version of the protocol of the tf.data service. */
  private static final long VERSION = 9;

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(1);

  private final String address;
  private final ManagedChannel channel;
  private final Duration retryTimeout;
  private final Ticker ticker;
  private final ClientInterceptor[] interceptors;
  private volatile boolean knowsExtensions = true;

  /** It has answered the last heartbeat by an extension. */
  private volatile boolean isHeadrace;

  /**
   * A stub of the dispatcher at {@code address}, to which {@code channel} connects; the caller
   * closes the channel.
   *
   * @param interceptors of all calls
   * @param retryTimeout how long requests are retried while the dispatcher does not answer
   */
  DispatcherStub(
      String address,
      ManagedChannel channel,
      List<ClientInterceptor> interceptors,
      Duration retryTimeout,
      Ticker ticker) {
    this.interceptors = interceptors.toArray(ClientInterceptor[]::new);
    this.address = address;
    this.channel = channel;
    this.retryTimeout = retryTimeout;
    this.ticker = ticker;
  }

  String address() {
    return address;
  }

  /** FAILED_PRECONDITION, with TensorFlow's message, for a dispatcher of another version. */
  void checkVersion() {
    long version =
        call(() -> stub().getVersion(GetVersionRequest.getDefaultInstance())).getVersion();
    if (version != VERSION) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Version mismatch with tf.data service server. The server is running version %d, while"
              + " the client is running version %d.",
          version,
          VERSION);
    }
  }

  /**
   * Sends a heartbeat, with the fields that TensorFlow's lacks if the dispatcher supports the
   * extension.
   */
  ExtendedWorkerHeartbeatResponse heartbeat(ExtendedWorkerHeartbeatRequest request) {
    if (knowsExtensions) {
      try {
        ExtendedWorkerHeartbeatResponse response =
            call(() -> extensions().extendedWorkerHeartbeat(request));
        isHeadrace = true;
        return response;
      } catch (StatusException e) {
        if (e.code() != StatusCode.UNIMPLEMENTED) {
          throw e;
        }
        knowsExtensions = false;
        isHeadrace = false;
      }
    }
    return heartbeat(request.getHeartbeat());
  }

  private ExtendedWorkerHeartbeatResponse heartbeat(WorkerHeartbeatRequest request) {
    try {
      WorkerHeartbeatResponse response = call(() -> stub().workerHeartbeat(request));
      return ExtendedWorkerHeartbeatResponse.newBuilder()
          .addAllNewTasks(response.getNewTasksList())
          .addAllTasksToDelete(response.getTasksToDeleteList())
          .addAllSnapshotTasks(response.getSnapshotTasksList())
          .build();
    } catch (StatusException e) {
      // The dispatcher that next answers at that address may support the extensions.
      knowsExtensions = true;
      throw e;
    }
  }

  void update(WorkerUpdateRequest request) {
    var _ = call(() -> stub().workerUpdate(request));
  }

  /** The registered dataset, for workers that can't read the dispatcher's files. */
  DatasetDef getDatasetDef(String datasetId, Cancellation cancellation) {
    GetDatasetDefRequest request =
        GetDatasetDefRequest.newBuilder().setDatasetId(datasetId).build();
    return withRetries(() -> stub().getDatasetDef(request), cancellation).getDatasetDef();
  }

  /** Whether elements of a dataset registered with compression are to be sent uncompressed. */
  boolean isCompressionDisabled(String datasetId, Cancellation cancellation) {
    DisableCompressionAtRuntimeRequest request =
        DisableCompressionAtRuntimeRequest.newBuilder()
            .setDatasetId(datasetId)
            .setDisableCompressionAtRuntime(false)
            .build();
    DisableCompressionAtRuntimeResponse response =
        withRetries(() -> stub().disableCompressionAtRuntime(request), cancellation);
    return response.getCompressionDisabledAtRuntime();
  }

  /** The next split of a source, by TensorFlow's GetSplit. */
  GetSplitResponse getSplit(GetSplitRequest request, Cancellation cancellation) {
    return withRetries(() -> stub().getSplit(request), cancellation);
  }

  /**
   * The next splits of a source of a stream of a distributed snapshot, at most one from a stock
   * dispatcher; none at the end of the repetition.
   */
  TakeSnapshotSplitsResponse takeSnapshotSplits(
      GetSnapshotSplitRequest request, Cancellation cancellation) {
    if (isHeadrace) {
      try {
        return withRetries(() -> extensions().takeSnapshotSplits(request), cancellation);
      } catch (StatusException e) {
        if (e.code() != StatusCode.UNIMPLEMENTED) {
          throw e;
        }
      }
    }
    GetSnapshotSplitResponse one =
        withRetries(() -> stub().getSnapshotSplit(request), cancellation);
    TakeSnapshotSplitsResponse.Builder response =
        TakeSnapshotSplitsResponse.newBuilder().setFirstLocalIndex(one.getLocalSplitIndex());
    return (one.getEndOfSplits() ? response : response.addSplits(one.getSplit())).build();
  }

  /** Several splits of a source, for tasks that the dispatcher can {@link #describe}. */
  TakeSplitsResponse takeSplits(TakeSplitsRequest request, Cancellation cancellation) {
    return withRetries(() -> extensions().takeSplits(request), cancellation);
  }

  /** The properties of a task beyond its TaskDef; empty from a stock dispatcher. */
  Optional<DescribeTaskResponse> describe(long taskId, Cancellation cancellation) {
    if (!knowsExtensions) {
      return Optional.empty();
    }
    DescribeTaskRequest request = DescribeTaskRequest.newBuilder().setTaskId(taskId).build();
    try {
      return Optional.of(withRetries(() -> extensions().describeTask(request), cancellation));
    } catch (StatusException e) {
      if (e.code() == StatusCode.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Reports deliveries of tasks, made or about to be made. */
  ReportDeliveriesResponse reportDeliveries(ReportDeliveriesRequest request) {
    return call(() -> extensions().reportDeliveries(request));
  }

  /** Reports where the time of tasks goes; a stock dispatcher is told nothing. */
  Optional<ReportStagesResponse> reportStages(ReportStagesRequest request) {
    return isHeadrace
        ? Optional.of(call(() -> extensions().reportStages(request)))
        : Optional.empty();
  }

  /** Reports the trace of an element to a dispatcher that ordered it. */
  void reportTrace(ReportTraceRequest request) {
    var _ = call(() -> extensions().reportTrace(request));
  }

  /** Says, in one short attempt, that the worker leaves; a stock dispatcher is told nothing. */
  void leave(LeaveWorkerRequest request) {
    if (knowsExtensions) {
      var _ =
          call(() ->
              extensions()
                  .withDeadlineAfter(LEAVE_TIMEOUT.toNanos(), NANOSECONDS)
                  .leaveWorker(request));
    }
  }

  /** Retries a call until it succeeds, fails with a permanent failure, or the timeout passes. */
  private <R> R withRetries(Supplier<R> call, Cancellation cancellation) {
    InterruptibleWait pause = new InterruptibleWait();
    RetryBackoff backoff = new RetryBackoff(MAX_BACKOFF);
    long begun = ticker.nanoTime();
    try (Cancellation.Registration _ = cancellation.onCancel(pause::end)) {
      while (true) {
        cancellation.check();
        try {
          return call(call);
        } catch (StatusException e) {
          boolean inTime = Duration.ofNanos(ticker.nanoTime() - begun).compareTo(retryTimeout) < 0;
          if (!isTransient(e) || !inTime) {
            throw e;
          }
        }
        if (!pause.await(backoff.next())) {
          throw new StatusException(StatusCode.CANCELLED, "the task was cancelled");
        }
      }
    }
  }

  /** Whether {@code failure} may be transient: the dispatcher may be restarting. */
  static boolean isTransient(StatusException failure) {
    return failure.code().isRetriable() || failure.code() == StatusCode.DEADLINE_EXCEEDED;
  }

  private <R> R call(Supplier<R> call) {
    // gRPC's own back-off would grow to two minutes.
    channel.resetConnectBackoff();
    try {
      return call.get();
    } catch (RuntimeException e) {
      throw GrpcStatuses.fromGrpc(e);
    }
  }

  private DispatcherServiceBlockingStub stub() {
    return DispatcherServiceGrpc.newBlockingStub(channel)
        .withInterceptors(interceptors)
        .withDeadlineAfter(CALL_TIMEOUT.toNanos(), NANOSECONDS);
  }

  private DispatcherExtensionsGrpc.DispatcherExtensionsBlockingStub extensions() {
    return DispatcherExtensionsGrpc.newBlockingStub(channel)
        .withInterceptors(interceptors)
        .withDeadlineAfter(CALL_TIMEOUT.toNanos(), NANOSECONDS);
  }
}

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
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The dispatcher, as a worker calls it. Every call blocks, for half a minute at most; what it
 * throws is a StatusException. Thread-safe.
 */
final class DispatcherCalls {
  /** TensorFlow's version of the protocol of the tf.data service. */
  private static final long VERSION = 9;

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final String address;
  private final ManagedChannel channel;
  private final Duration patience;
  private final Ticker ticker;
  private final ClientInterceptor fencing;
  private volatile boolean knowsExtensions = true;

  /**
   * A client of the dispatcher at {@code address}, which {@code channel}, closed by its owner,
   * leads to.
   *
   * @param fence knows of which epochs the worker has heard
   * @param patience how long a request that is not answered is tried again
   */
  DispatcherCalls(
      String address, ManagedChannel channel, EpochFence fence, Duration patience, Ticker ticker) {
    // The address may be another's by now.
    fencing = fence.ofAnswers(channel::enterIdle);
    this.address = address;
    this.channel = channel;
    this.patience = patience;
    this.ticker = ticker;
  }

  String address() {
    return address;
  }

  /** FAILED_PRECONDITION, in TensorFlow's words, for a dispatcher of another version. */
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
   * Sends a heartbeat, with what TensorFlow's has no field for where the dispatcher understands it.
   */
  WorkerHeartbeatResponse heartbeat(ExtendedWorkerHeartbeatRequest request) {
    if (knowsExtensions) {
      try {
        return call(() -> extensions().extendedWorkerHeartbeat(request));
      } catch (StatusException e) {
        if (e.code() != StatusCode.UNIMPLEMENTED) {
          throw e;
        }
        knowsExtensions = false;
      }
    }
    return heartbeat(request.getHeartbeat());
  }

  private WorkerHeartbeatResponse heartbeat(WorkerHeartbeatRequest request) {
    try {
      return call(() -> stub().workerHeartbeat(request));
    } catch (StatusException e) {
      // Whoever comes back at that address may be another.
      knowsExtensions = true;
      throw e;
    }
  }

  void update(WorkerUpdateRequest request) {
    var _ = call(() -> stub().workerUpdate(request));
  }

  /** The registered dataset, for a worker that can't read the dispatcher's files. */
  DatasetDef getDatasetDef(String datasetId, Cancellation cancellation) {
    GetDatasetDefRequest request =
        GetDatasetDefRequest.newBuilder().setDatasetId(datasetId).build();
    return patiently(() -> stub().getDatasetDef(request), cancellation).getDatasetDef();
  }

  /** Whether elements of a dataset that was registered with compression are to be sent without. */
  boolean isCompressionDisabled(String datasetId, Cancellation cancellation) {
    DisableCompressionAtRuntimeRequest request =
        DisableCompressionAtRuntimeRequest.newBuilder()
            .setDatasetId(datasetId)
            .setDisableCompressionAtRuntime(false)
            .build();
    DisableCompressionAtRuntimeResponse response =
        patiently(() -> stub().disableCompressionAtRuntime(request), cancellation);
    return response.getCompressionDisabledAtRuntime();
  }

  /** The next split of a source, as TensorFlow's workers ask for it. */
  GetSplitResponse getSplit(GetSplitRequest request, Cancellation cancellation) {
    return patiently(() -> stub().getSplit(request), cancellation);
  }

  /** Several splits of a source, of a task that the dispatcher can {@link #describe}. */
  TakeSplitsResponse takeSplits(TakeSplitsRequest request, Cancellation cancellation) {
    return patiently(() -> extensions().takeSplits(request), cancellation);
  }

  /** What there is to know of a task beyond its TaskDef; nothing, from a stock dispatcher. */
  Optional<DescribeTaskResponse> describe(long taskId, Cancellation cancellation) {
    if (!knowsExtensions) {
      return Optional.empty();
    }
    DescribeTaskRequest request = DescribeTaskRequest.newBuilder().setTaskId(taskId).build();
    try {
      return Optional.of(patiently(() -> extensions().describeTask(request), cancellation));
    } catch (StatusException e) {
      if (e.code() == StatusCode.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Tells what readers have fetched of a task. */
  void reportDeliveries(ReportDeliveriesRequest request) {
    var _ = call(() -> extensions().reportDeliveries(request));
  }

  /** Calls until there is an answer that trying again would not better. */
  private <R> R patiently(Supplier<R> call, Cancellation cancellation) {
    Pause pause = new Pause();
    RetryDelay backoff = new RetryDelay(LONGEST_PAUSE);
    long begun = ticker.nanoTime();
    try (Cancellation.Registration _ = cancellation.onCancel(pause::end)) {
      while (true) {
        cancellation.check();
        try {
          return call(call);
        } catch (StatusException e) {
          boolean inTime = ticker.nanoTime() - begun < patience.toNanos();
          if (!isWorthAnotherTry(e) || !inTime) {
            throw e;
          }
        }
        if (!pause.await(backoff.next())) {
          throw new StatusException(StatusCode.CANCELLED, "the task was cancelled");
        }
      }
    }
  }

  /** Whether the dispatcher may just be away. */
  static boolean isWorthAnotherTry(StatusException failure) {
    return failure.code().isRetriable() || failure.code() == StatusCode.DEADLINE_EXCEEDED;
  }

  private <R> R call(Supplier<R> call) {
    // gRPC itself would wait for up to two minutes before it tries to connect again.
    channel.resetConnectBackoff();
    try {
      return call.get();
    } catch (RuntimeException e) {
      throw GrpcStatuses.fromGrpc(e);
    }
  }

  private DispatcherServiceBlockingStub stub() {
    return DispatcherServiceGrpc.newBlockingStub(channel)
        .withInterceptors(fencing)
        .withDeadlineAfter(CALL_TIMEOUT.toNanos(), NANOSECONDS);
  }

  private DispatcherExtensionsGrpc.DispatcherExtensionsBlockingStub extensions() {
    return DispatcherExtensionsGrpc.newBlockingStub(channel)
        .withInterceptors(fencing)
        .withDeadlineAfter(CALL_TIMEOUT.toNanos(), NANOSECONDS);
  }
}

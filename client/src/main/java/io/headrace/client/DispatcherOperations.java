package io.headrace.client;

import static java.util.Objects.requireNonNull;

import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.EndJobRequest;
import io.headrace.proto.headrace.EndJobResponse;
import io.headrace.proto.headrace.ForgetClientRequest;
import io.headrace.proto.headrace.ForgetClientResponse;
import io.headrace.proto.headrace.ForgetDatasetRequest;
import io.headrace.proto.headrace.ForgetDatasetResponse;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;

/**
 * The changes that an operator asks of a dispatcher. The dispatcher serves these requests to
 * callers on its own host alone, at a loopback address: others get PERMISSION_DENIED. Each is
 * durable when it returns. Every request may also fail as {@link DispatcherInspection#status} does.
 * Thread-safe.
 */
public final class DispatcherOperations implements AutoCloseable {
  private final AdminCalls calls;

  private DispatcherOperations(AdminCalls calls) {
    this.calls = calls;
  }

  /**
   * Operations of the dispatcher at {@code target}, which it does not call yet.
   *
   * @param timeout bounds each request
   * @throws StatusException as {@link GrpcTargets#address} does
   */
  public static DispatcherOperations of(String target, Duration timeout) {
    requireNonNull(target, "target is null");
    requireNonNull(timeout, "timeout is null");
    return new DispatcherOperations(new AdminCalls(target, timeout));
  }

  /**
   * Has a worker leave in order, as on SIGTERM. Returns when the dispatcher has taken the request
   * up, not when the worker has left.
   *
   * @param workerAddress the worker, as it is registered
   * @param cancel takes an earlier request back
   * @throws StatusException NOT_FOUND without such a worker
   */
  public DrainWorkerResponse drain(String workerAddress, boolean cancel) {
    requireNonNull(workerAddress, "workerAddress is null");
    return calls.ask(stub ->
        stub.drainWorker(
            DrainWorkerRequest.newBuilder()
                .setWorkerAddress(workerAddress)
                .setCancel(cancel)
                .build()));
  }

  /**
   * Ends a job: its readers fail, its tasks end, its name is free.
   *
   * @param job its name or id
   * @throws StatusException NOT_FOUND without such a job
   */
  public EndJobResponse endJob(String job) {
    requireNonNull(job, "job is null");
    return calls.ask(stub -> stub.endJob(EndJobRequest.newBuilder().setJob(job).build()));
  }

  /**
   * Gives up a reader, as if it had been silent for too long.
   *
   * @param client its iteration client id
   * @throws StatusException NOT_FOUND without such a client
   */
  public ForgetClientResponse forgetClient(long client) {
    return calls.ask(stub ->
        stub.forgetClient(ForgetClientRequest.newBuilder().setIterationClientId(client).build()));
  }

  /**
   * Has a dataset forgotten.
   *
   * @throws StatusException NOT_FOUND without such a dataset; FAILED_PRECONDITION if a job reads it
   */
  public ForgetDatasetResponse forgetDataset(String datasetId) {
    requireNonNull(datasetId, "datasetId is null");
    return calls.ask(stub ->
        stub.forgetDataset(ForgetDatasetRequest.newBuilder().setDatasetId(datasetId).build()));
  }

  @Override
  public void close() {
    calls.close();
  }
}

package io.headrace.runtime.device;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The devices to which parts of functions can be pinned: of this process, and of other tasks of its
 * cluster. {@link #close} deregisters the functions sent to them. Thread-safe.
 */
public interface RemoteDevices extends AutoCloseable {
  /**
   * Checks {@code pin} without a remote call.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed, or names a job or task that is not
   *     in the cluster
   */
  void check(String pin);

  /**
   * Runs {@code function} on its device.
   *
   * @return its results; fails with UNAVAILABLE naming the task if the task is unreachable,
   *     INVALID_ARGUMENT if it has no such device, or with the function's own error
   */
  CompletableFuture<List<Tensor>> call(
      PinnedFunction function, List<Tensor> inputs, Cancellation cancellation);

  /**
   * Runs {@code function} for {@code rows} rows at once. Fails if any row fails, or if the results
   * of the rows differ in shape.
   *
   * @param inputs tensors, with or without a leading row dimension
   * @param isRows for each input, whether it has a row dimension; at least one has
   * @return the results, with a leading row dimension
   */
  CompletableFuture<List<Tensor>> callRows(
      PinnedFunction function,
      int rows,
      List<Tensor> inputs,
      List<Boolean> isRows,
      Cancellation cancellation);

  @Override
  void close();

  /** The devices of a process outside of any cluster: none. */
  static RemoteDevices none() {
    return NoDevices.INSTANCE;
  }

  /** No devices: every call fails with INVALID_ARGUMENT. */
  enum NoDevices implements RemoteDevices {
    /** The instance. */
    INSTANCE;

    private static StatusException noCluster(String pin) {
      return StatusException.invalidArgument(
          "a function is pinned to %s, and this process is a task of no cluster and offers no GPU",
          pin);
    }

    @Override
    public void check(String pin) {
      throw noCluster(pin);
    }

    @Override
    public CompletableFuture<List<Tensor>> call(
        PinnedFunction function, List<Tensor> inputs, Cancellation cancellation) {
      return CompletableFuture.failedFuture(noCluster(function.pin()));
    }

    @Override
    public CompletableFuture<List<Tensor>> callRows(
        PinnedFunction function,
        int rows,
        List<Tensor> inputs,
        List<Boolean> isRows,
        Cancellation cancellation) {
      return CompletableFuture.failedFuture(noCluster(function.pin()));
    }

    @Override
    public void close() {}
  }
}

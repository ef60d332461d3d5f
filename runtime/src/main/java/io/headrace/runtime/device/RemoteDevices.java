package io.headrace.runtime.device;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The devices that parts of functions can be pinned to: of this process, and of other tasks of its
 * cluster. Closing it forgets what was sent there. Thread-safe.
 */
public interface RemoteDevices extends AutoCloseable {
  /**
   * Checks what can be known of {@code pin} without asking anybody.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed, or names a job or task that the
   *     cluster has not
   */
  void check(String pin);

  /**
   * Runs {@code function} on its device.
   *
   * @return its results; fails with UNAVAILABLE naming the task if that can't be reached,
   *     INVALID_ARGUMENT if it has no such device, or what the function fails with
   */
  CompletableFuture<List<Tensor>> call(
      PinnedFunction function, List<Tensor> inputs, Cancellation cancellation);

  /**
   * Runs it for {@code rows} rows at once. Fails, too, where the results of rows differ in shape,
   * and if any row fails.
   *
   * @param inputs tensors with a row dimension before their own, or without one
   * @param isRows for each input, whether it has one; at least one has
   * @return the results, with a row dimension
   */
  CompletableFuture<List<Tensor>> callRows(
      PinnedFunction function,
      int rows,
      List<Tensor> inputs,
      List<Boolean> isRows,
      Cancellation cancellation);

  @Override
  void close();

  /** Those of a process that is a task of no cluster: there are none. */
  static RemoteDevices none() {
    return NoDevices.INSTANCE;
  }

  /** There are none. */
  enum NoDevices implements RemoteDevices {
    /** The only one. */
    INSTANCE;

    private static StatusException noCluster(String pin) {
      return StatusException.invalidArgument(
          "a function is pinned to %s, and this process is a task of no cluster", pin);
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

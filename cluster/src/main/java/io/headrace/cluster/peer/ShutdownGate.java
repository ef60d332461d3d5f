package io.headrace.cluster.peer;

import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/**
 * Whether a server is stopping and refuses new sessions and steps. Thread-safe; it never goes back.
 */
public final class ShutdownGate {
  private final DeviceSpec task;
  private final Cancellation begun = new Cancellation();

  /**
   * @param task the server's task, for messages
   */
  public ShutdownGate(DeviceSpec task) {
    this.task = task;
  }

  /** Starts refusing new sessions and steps. */
  public void begin() {
    begun.cancel();
  }

  /** Throws UNAVAILABLE if the server is stopping. */
  public void check() {
    if (begun.isCancelled()) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "the server of %s stops: it takes no new sessions or steps, only those that run may end",
          task);
    }
  }

  /** A cancellation by {@code caller} or by the stop of the server. The caller closes it. */
  public Both or(Cancellation caller) {
    Cancellation either = new Cancellation();
    Cancellation.Registration first = caller.onCancel(either::cancel);
    Cancellation.Registration second = begun.onCancel(either::cancel);
    return new Both(either, first, second);
  }

  /** A cancellation with two causes; closing it deregisters from both. */
  public record Both(
      Cancellation either, Cancellation.Registration first, Cancellation.Registration second)
      implements AutoCloseable {
    @Override
    public void close() {
      first.close();
      second.close();
    }
  }
}

package io.headrace.cluster.peer;

import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** Whether a server stops, and so begins nothing new. Thread-safe; once it stops, it stays so. */
public final class Stopping {
  private final DeviceSpec task;
  private final Cancellation begun = new Cancellation();

  /**
   * @param task the server's, for messages
   */
  public Stopping(DeviceSpec task) {
    this.task = task;
  }

  /** From now on nothing new is begun. */
  public void begin() {
    begun.cancel();
  }

  /** Throws UNAVAILABLE if the server stops. */
  public void check() {
    if (begun.isCancelled()) {
      throw StatusException.of(
          StatusCode.UNAVAILABLE,
          "the server of %s stops: it takes no new sessions or steps, only those that run may end",
          task);
    }
  }

  /** Cancelled with {@code caller}, and when the server stops. To be closed by its user. */
  public Both or(Cancellation caller) {
    Cancellation either = new Cancellation();
    Cancellation.Registration first = caller.onCancel(either::cancel);
    Cancellation.Registration second = begun.onCancel(either::cancel);
    return new Both(either, first, second);
  }

  /** A cancellation for two reasons; closing it lets go of both. */
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

package io.headrace.gpu.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A primary context and whether it still works. All calls of the driver for its device begin with
 * {@link #enter}, and a call's {@link CudaException} ends with {@link #failure}, which learns from
 * it that the device is lost.
 *
 * <p>Used from platform threads, since the driver ties the context to the thread of the system.
 * Thread-safe.
 */
final class ContextState {
  /** The identity of the context that this class made current on a thread last. */
  private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

  /** Guards streams, memory and modules of the context. */
  final Object lock = new Object();

  private final Object identity = new Object();
  private final CudaDriver driver;
  private final String device;
  private final long context;

  @GuardedBy("onEnd")
  private final List<Runnable> onEnd = new ArrayList<>();

  private volatile @Nullable StatusException end;

  /**
   * A context that works.
   *
   * @param device names the device in errors
   * @param context the handle
   */
  ContextState(CudaDriver driver, String device, long context) {
    this.driver = driver;
    this.device = device;
    this.context = context;
  }

  /** The device as errors name it. */
  String device() {
    return device;
  }

  /** The driver, with the context current on this thread; fails if the context has ended. */
  @SuppressWarnings("ReferenceEquality") // an identity
  CudaDriver enter() {
    check();
    if (CURRENT.get() != identity) {
      if (Thread.currentThread().isVirtual()) {
        throw new IllegalStateException("a GPU is used from platform threads only");
      }
      try {
        makeCurrent();
      } catch (CudaException e) {
        throw failure(e);
      }
    }
    return driver;
  }

  /** Makes the context current on this thread, even if it has ended. */
  void makeCurrent() {
    forgetCurrent();
    driver.ctxSetCurrent(context);
    CURRENT.set(identity);
  }

  /** Notes that another call than {@link #enter} may have changed this thread's context. */
  static void forgetCurrent() {
    CURRENT.remove();
  }

  /**
   * Fails if the context has ended.
   *
   * @throws StatusException UNAVAILABLE if the device was lost, FAILED_PRECONDITION if it is closed
   */
  void check() {
    StatusException reason = end;
    if (reason != null) {
      throw new StatusException(reason.code(), reason.message(), reason);
    }
  }

  /** Why the context has ended; null while it works. */
  @Nullable StatusException end() {
    return end;
  }

  /**
   * The error of a failed call. An error that loses the context ends it: everything in it fails
   * from then on.
   */
  StatusException failure(CudaException e) {
    return switch (e.result()) {
      case OUT_OF_MEMORY ->
          new StatusException(StatusCode.RESOURCE_EXHAUSTED, device + ": " + e.getMessage(), e);
      case INVALID_CONTEXT, DEINITIALIZED -> lost(e);
      default ->
          e.result().losesContext()
              ? lost(e)
              : new StatusException(StatusCode.INTERNAL, device + ": " + e.getMessage(), e);
    };
  }

  private StatusException lost(CudaException e) {
    StatusException reason =
        new StatusException(
            StatusCode.UNAVAILABLE,
            device + " was lost with all that its memory held: " + e.getMessage(),
            e);
    finish(reason);
    return reason;
  }

  /** Ends the context; the first reason is kept. */
  void finish(StatusException reason) {
    List<Runnable> actions;
    synchronized (onEnd) {
      if (end != null) {
        return;
      }
      end = reason;
      actions = List.copyOf(onEnd);
    }
    actions.forEach(Runnable::run);
  }

  /** Runs {@code action}, which must be short and take no lock, when the context ends. */
  void onEnd(Runnable action) {
    synchronized (onEnd) {
      onEnd.add(action);
    }
  }
}

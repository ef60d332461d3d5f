package io.headrace.gpu.device;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.MemoryInfo;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU that this process uses. It is lost when the driver reports an error after which nothing in
 * its context works: a kernel that used a wrong address, a failure of the hardware. All that was in
 * its memory and on its streams is gone then, and fails with UNAVAILABLE, which says that the work
 * may be tried again, on another device; the process goes on. The driver is asked for a new context
 * when one is next wanted, but not before a while is over that grows from loss to loss. Drivers
 * were seen to refuse it after a kernel's fault for as long as the process lives; then the device
 * stays lost, and each use fails with UNAVAILABLE and the driver's error.
 *
 * <p>Used from platform threads only. Thread-safe.
 */
public final class GpuDevice implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(GpuDevice.class.getName());

  private final CudaDriver driver;
  private final CudaDevice description;
  private final int device;
  private final GpuOptions options;
  private final ContextSizes sizes;
  private final PinnedBudget budget;
  private final BackOff backOff;

  /** The most memory to take, decided when the device is opened; 0 before. */
  @GuardedBy("this")
  private long limit;

  @GuardedBy("this")
  private boolean isClosed;

  /** The failure of the last try to make a context anew; null if there was none since the loss. */
  @GuardedBy("this")
  private @Nullable StatusException refusal;

  /** Lost contexts, whose pinned memory may still exist. */
  @GuardedBy("this")
  private final List<GpuContext> lost = new ArrayList<>();

  /** The context that was made last, and may be lost; null if none could be made since. */
  private volatile @Nullable GpuContext context;

  private GpuDevice(
      CudaDriver driver,
      CudaDevice description,
      GpuOptions options,
      ContextSizes sizes,
      PinnedBudget budget,
      Ticker ticker) {
    this.driver = driver;
    this.description = description;
    this.options = options;
    this.sizes = sizes;
    this.budget = budget;
    backOff = new BackOff(ticker);
    device = driver.deviceGet(description.ordinal());
  }

  /**
   * Opens a device; it is closed by the caller.
   *
   * @param ordinal one of {@link GpuOptions#visibleDevices}
   * @param ticker measures how long a lost device is left alone
   * @throws StatusException if the driver refuses: RESOURCE_EXHAUSTED if other processes have taken
   *     its memory
   */
  public static GpuDevice open(CudaDriver driver, int ordinal, GpuOptions options, Ticker ticker) {
    PinnedBudget budget = PinnedBudget.ofHost(driver.deviceGetCount(), ticker);
    return open(driver, ordinal, options, ticker, ContextSizes.DEFAULT, budget);
  }

  static GpuDevice open(
      CudaDriver driver,
      int ordinal,
      GpuOptions options,
      Ticker ticker,
      ContextSizes sizes,
      PinnedBudget budget) {
    CudaDevice description = CudaDevice.list(driver).get(ordinal);
    GpuDevice opened = new GpuDevice(driver, description, options, sizes, budget, ticker);
    synchronized (opened) {
      opened.context = opened.makeContext();
    }
    return opened;
  }

  /** The driver's description of the device. */
  public CudaDevice description() {
    return description;
  }

  /** The most bytes of its memory that this process takes. */
  public synchronized long memoryLimit() {
    return limit;
  }

  /** The device in errors: {@code GPU 0 (NVIDIA H100)}. */
  public String name() {
    return "GPU %d (%s)".formatted(description.ordinal(), description.name());
  }

  /**
   * The context, made anew if the device was lost.
   *
   * @throws StatusException UNAVAILABLE if it was lost a moment ago or can't be made anew,
   *     FAILED_PRECONDITION if the device is closed
   */
  public GpuContext context() {
    GpuContext last = context;
    return last != null && last.end() == null ? last : makeAnew();
  }

  private synchronized GpuContext makeAnew() {
    if (isClosed) {
      throw new StatusException(StatusCode.FAILED_PRECONDITION, name() + " is closed");
    }
    GpuContext last = context;
    if (last != null && last.end() == null) {
      return last;
    }
    long remaining = backOff.remainingNanos();
    if (remaining > 0) {
      StatusException reason = requireNonNull(last == null ? refusal : last.end());
      throw new StatusException(
          StatusCode.UNAVAILABLE,
          "%s (tried again in %d ms)"
              .formatted(reason.message(), Duration.ofNanos(remaining).toMillis() + 1),
          reason);
    }
    if (last != null) {
      giveUp(last);
    }
    GpuContext made = tryAgain();
    context = made;
    freeLost();
    LOGGER.log(Level.INFO, "{0} works again", name());
    return made;
  }

  @GuardedBy("this")
  private GpuContext tryAgain() {
    try {
      GpuContext made = makeContext();
      refusal = null;
      return made;
    } catch (StatusException e) {
      if (refusal == null) {
        LOGGER.log(Level.WARNING, e.message());
      }
      refusal = e;
      throw e;
    }
  }

  /** Lets the driver forget a lost context, which it destroys with all that it has. */
  @GuardedBy("this")
  private void giveUp(GpuContext ended) {
    context = null;
    lost.add(ended);
    ended.copies().freeSlots(() -> ignoreFailure(() -> driver.devicePrimaryCtxRelease(device)));
    // Other users of the context in this process may hold it, and their work is lost as well.
    ignoreFailure(() -> driver.devicePrimaryCtxReset(device));
  }

  /** Frees what lost contexts have left; a context that works is current. */
  @GuardedBy("this")
  private void freeLost() {
    for (GpuContext ended : lost) {
      ignoreFailure(() -> ended.copies().freeSlots(() -> ended.freeSlots(driver)));
    }
    lost.clear();
  }

  @GuardedBy("this")
  private GpuContext makeContext() {
    long handle;
    try {
      handle = driver.devicePrimaryCtxRetain(device);
    } catch (CudaException e) {
      backOff.fail();
      throw refused(e);
    }
    try {
      return makeContext(handle);
    } catch (StatusException e) {
      backOff.fail();
      ignoreFailure(() -> driver.devicePrimaryCtxRelease(device));
      throw e.getCause() instanceof CudaException cause && cause.result().losesContext()
          ? refused(cause)
          : e;
    }
  }

  /** The error where the driver refuses a context. */
  private StatusException refused(CudaException e) {
    String message =
        e.result().losesContext()
            ? "%s is lost until this process is started again: %s"
            : "%s can't be used: %s";
    return new StatusException(
        StatusCode.UNAVAILABLE, message.formatted(name(), e.getMessage()), e);
  }

  @GuardedBy("this")
  private GpuContext makeContext(long handle) {
    if (limit == 0) {
      limit = memoryLimit(handle);
    }
    GpuContext made =
        GpuContext.open(driver, description, name(), handle, sizes, budget, limit, options);
    made.state()
        .onEnd(() -> {
          StatusException end = made.end();
          if (end != null && end.code() == StatusCode.UNAVAILABLE) {
            backOff.fail();
            LOGGER.log(Level.WARNING, end.message());
          }
        });
    return made;
  }

  private long memoryLimit(long handle) {
    try {
      driver.ctxSetCurrent(handle);
      MemoryInfo memory = driver.memGetInfo();
      return options.memoryLimit(
          memory.freeBytes(), memory.totalBytes(), description.capabilityMajor());
    } catch (CudaException e) {
      throw refused(e);
    } finally {
      ContextState.forgetCurrent();
    }
  }

  private void ignoreFailure(Runnable call) {
    try {
      call.run();
    } catch (CudaException e) {
      LOGGER.log(Level.DEBUG, () -> name() + ": " + e.getMessage());
    }
  }

  /**
   * Waits for the work on the device, at most half a minute, and frees all that it has. Its loss
   * meanwhile is no error; closing again does nothing.
   */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    GpuContext last = context;
    if (last == null) {
      return;
    }
    if (last.end() != null) {
      giveUp(last);
      return;
    }
    try {
      last.close();
    } catch (StatusException | CudaException e) {
      StatusException end = last.end();
      if (end == null || end.code() != StatusCode.UNAVAILABLE) {
        throw e;
      }
      LOGGER.log(Level.DEBUG, () -> name() + " was lost before it was closed: " + e.getMessage());
    } finally {
      ignoreFailure(() -> driver.devicePrimaryCtxRelease(device));
    }
  }
}

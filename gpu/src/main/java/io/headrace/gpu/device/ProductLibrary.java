package io.headrace.gpu.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.Cublas;
import io.headrace.gpu.cuda.CublasException;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CublasSearch;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * cuBLAS in one context. It is looked for, and starts, when the first product asks for it, which
 * takes a second and some memory beside the pool's. Where it is absent or fails, it is not asked
 * again, and products are the caller's to make. Its products are made on the stream of kernels.
 * Thread-safe.
 */
public final class ProductLibrary {
  private static final Logger LOGGER = System.getLogger(ProductLibrary.class.getName());

  /** Memory for sums in parts, as NVIDIA recommends it; and for devices from Hopper on. */
  private static final long WORKSPACE_BYTES = 4 << 20;

  private static final long LARGE_WORKSPACE_BYTES = 32 << 20;
  private static final int HOPPER = 9;

  /** The workspace is no more than the memory divided by this. */
  private static final int PARTS_OF_MEMORY = 16;

  private final ContextState state;
  private final CublasLibraries libraries;
  private final DeviceMemoryPool pool;
  private final GpuStream stream;
  private final long workspaceBytes;

  /** Whether it was looked for. */
  @GuardedBy("this")
  private boolean isTried;

  /** Whether it failed since it started. */
  @GuardedBy("this")
  private boolean hasFailed;

  /** The library with its handle; null if it has not started. */
  @GuardedBy("this")
  private @Nullable Started started;

  /** The library with a handle, and the memory that this has. */
  private record Started(Cublas cublas, long handle, DeviceBuffer workspace) {}

  ProductLibrary(
      ContextState state,
      CublasLibraries libraries,
      int capabilityMajor,
      long memoryLimit,
      DeviceMemoryPool pool,
      GpuStream stream) {
    this.state = state;
    this.libraries = libraries;
    this.pool = pool;
    this.stream = stream;
    long wanted = capabilityMajor >= HOPPER ? LARGE_WORKSPACE_BYTES : WORKSPACE_BYTES;
    workspaceBytes = Math.min(wanted, memoryLimit / PARTS_OF_MEMORY);
  }

  /**
   * Appends products to the stream of kernels; or returns false if the library can't make them.
   *
   * @param x holds the matrices on the left
   * @param y holds those on the right
   * @param out gets the products
   * @throws StatusException UNAVAILABLE if the device was lost
   */
  public boolean multiply(
      MatrixProducts products, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out, HostWait wait) {
    Started library = start(wait);
    if (library == null) {
      return false;
    }
    try {
      stream.enqueue(
          List.of(x, y),
          List.of(out, library.workspace),
          (driver, handle) -> {
            try {
              library.cublas.gemmStridedBatchedEx(library.handle, products);
            } catch (CublasException e) {
              var _ = driver.streamQuery(handle); // fails if the device is lost
              throw e;
            }
          });
      return true;
    } catch (CublasException e) {
      giveUp(e);
      return false;
    }
  }

  /** Whether it has started, and has not failed since. */
  public synchronized boolean isUsed() {
    return started != null && !hasFailed;
  }

  /** The library in use, started if this is the first call; null if there is none. */
  private synchronized @Nullable Started start(HostWait wait) {
    if (!isTried) {
      started = tryToStart(wait);
      isTried = true;
    }
    return hasFailed ? null : started;
  }

  @GuardedBy("this")
  private @Nullable Started tryToStart(HostWait wait) {
    return switch (libraries.search(state.enter().driverGetVersion())) {
      case CublasSearch.Found(Cublas cublas, String library, _) -> start(cublas, library, wait);
      case CublasSearch.Absent(String reason, _) -> {
        LOGGER.log(Level.DEBUG, () -> state.device() + " is used without cuBLAS: " + reason);
        yield null;
      }
    };
  }

  private @Nullable Started start(Cublas cublas, String library, HostWait wait) {
    DeviceBuffer workspace;
    try {
      workspace = pool.allocate(workspaceBytes, "cuBLAS", stream, wait);
    } catch (StatusException e) {
      if (e.code() != StatusCode.RESOURCE_EXHAUSTED) {
        throw e;
      }
      warn("there is no memory for its workspace of %d bytes".formatted(workspaceBytes));
      return null;
    }
    try {
      long address = workspace.address();
      var _ = state.enter();
      long handle = cublas.create(stream.handle(), address, workspaceBytes);
      LOGGER.log(Level.INFO, () -> state.device() + " makes products of matrices by " + library);
      return new Started(cublas, handle, workspace);
    } catch (CublasException e) {
      workspace.close();
      warn(library + ": " + e.getMessage());
      return null;
    }
  }

  private void warn(String reason) {
    LOGGER.log(
        Level.WARNING,
        () ->
            state.device()
                + " makes products of matrices without cuBLAS, by slower kernels: "
                + reason);
  }

  /** Asks the library no more; its handle stays until the context is closed. */
  private synchronized void giveUp(CublasException e) {
    if (!hasFailed) {
      hasFailed = true;
      warn(String.valueOf(e.getMessage()));
    }
  }

  /** Destroys the handle, whose work is over; the context is current. It is not asked again. */
  synchronized void destroy() {
    isTried = true;
    Started last = started;
    started = null;
    if (last == null) {
      return;
    }
    try {
      last.cublas.destroy(last.handle);
    } catch (CublasException e) {
      LOGGER.log(Level.DEBUG, () -> state.device() + ": " + e.getMessage());
    } finally {
      last.workspace.close();
    }
  }
}

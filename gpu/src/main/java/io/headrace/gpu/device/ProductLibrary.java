package io.headrace.gpu.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.gpu.cuda.Cublas;
import io.headrace.gpu.cuda.CublasException;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CublasSearch;
import io.headrace.gpu.cuda.CublasStatus;
import io.headrace.gpu.cuda.CublasType;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.CudaResult;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * cuBLAS in one context. It is looked for, and starts, when the first product asks for it, which
 * takes a second, and memory of the device beside the pool's. Where it is absent or fails, it is
 * not asked again, and products are the caller's to make. Its products are made on the stream of
 * kernels. Thread-safe.
 */
public final class ProductLibrary {
  private static final Logger LOGGER = System.getLogger(ProductLibrary.class.getName());

  /** Memory for sums in parts, as NVIDIA recommends it; and for devices from Hopper on. */
  private static final long WORKSPACE_BYTES = 4 << 20;

  private static final long LARGE_WORKSPACE_BYTES = 32 << 20;
  private static final int HOPPER = 9;

  /** The workspace is no more than the memory divided by this. */
  private static final int PARTS_OF_MEMORY = 16;

  /** A library that does not know the type, the sizes or the device; others it may know. */
  private static final Set<CublasStatus> DECLINED =
      Set.of(CublasStatus.NOT_SUPPORTED, CublasStatus.INVALID_VALUE, CublasStatus.ARCH_MISMATCH);

  private final ContextState state;
  private final CublasLibraries libraries;
  private final GpuStream stream;
  private final long workspaceBytes;

  /** Whether it was looked for. */
  @GuardedBy("this")
  private boolean isTried;

  /** The types of which it makes no products. */
  @GuardedBy("this")
  private final Set<CublasType> declined = EnumSet.noneOf(CublasType.class);

  /** The library with its handle; null if it has not started. */
  @GuardedBy("this")
  private @Nullable Started started;

  /** The library with a handle, and the address of the memory that this has. */
  private record Started(Cublas cublas, long handle, long workspace) {}

  ProductLibrary(
      ContextState state,
      CublasLibraries libraries,
      int capabilityMajor,
      long memoryLimit,
      GpuStream stream) {
    this.state = state;
    this.libraries = libraries;
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
      MatrixProducts products, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out) {
    Started library = start(products.type());
    if (library == null) {
      return false;
    }
    try {
      // One stream has all the products, so that their workspace needs no order of its own.
      stream.enqueue(
          List.of(x, y),
          List.of(out),
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
      decline(products.type(), e);
      return false;
    }
  }

  /** Whether it has started, and declines no products since. */
  public synchronized boolean isUsed() {
    return started != null && declined.isEmpty();
  }

  /** The library in use, started if this is the first call; null if there is none for the type. */
  private synchronized @Nullable Started start(CublasType type) {
    if (!isTried) {
      started = tryToStart();
      isTried = true;
    }
    return declined.contains(type) ? null : started;
  }

  /** The first library that starts; null if none does. */
  private @Nullable Started tryToStart() {
    CudaDriver driver = state.enter();
    try {
      int version = driver.driverGetVersion();
      CublasLibraries left = libraries;
      CublasSearch search = left.search(version);
      while (search instanceof CublasSearch.Found(Cublas cublas, String library, _)) {
        Started made = tryToStart(driver, cublas, library);
        if (made != null) {
          return made;
        }
        left = left.after(library);
        if (left.files().isEmpty()) {
          return null;
        }
        search = left.search(version);
      }
      if (search instanceof CublasSearch.Absent(String reason, List<String> tried)
          && !tried.isEmpty()) {
        LOGGER.log(Level.INFO, () -> without(reason + " (" + String.join("; ", tried) + ")"));
      }
      return null;
    } catch (CudaException e) {
      if (e.result() == CudaResult.OUT_OF_MEMORY) {
        warn("there is no memory for its workspace of %d bytes".formatted(workspaceBytes));
        return null;
      }
      throw state.failure(e);
    }
  }

  /** The library with a handle; null if it does not start, or makes wrong products. */
  private @Nullable Started tryToStart(CudaDriver driver, Cublas cublas, String library) {
    // Not of the pool: it stays as long as the context, and would lie between the blocks there.
    long workspace = driver.memAlloc(workspaceBytes);
    boolean isKept = false;
    try {
      OptionalLong handle = handle(driver, cublas, workspace);
      if (handle.isEmpty()) {
        warn(library + " makes wrong products");
        return null;
      }
      isKept = true;
      LOGGER.log(Level.INFO, () -> state.device() + " makes products of matrices by " + library);
      return new Started(cublas, handle.getAsLong(), workspace);
    } catch (CublasException e) {
      warn(library + ": " + e.getMessage());
      return null;
    } finally {
      if (!isKept) {
        driver.memFree(workspace); // fails if the device is lost
      }
    }
  }

  /**
   * A handle for the stream of kernels, tried on one of its own, so that nobody else's work is
   * waited for; empty if its products are wrong.
   */
  private OptionalLong handle(CudaDriver driver, Cublas cublas, long workspace) {
    long trial = driver.streamCreate();
    try {
      long handle = cublas.create(trial, workspace, workspaceBytes);
      boolean isKept = false;
      try {
        if (!ProductTrial.isRight(driver, cublas, handle, trial)) {
          return OptionalLong.empty();
        }
        cublas.setStream(handle, stream.handle(), workspace, workspaceBytes);
        isKept = true;
        return OptionalLong.of(handle);
      } finally {
        if (!isKept) {
          cublas.destroy(handle);
        }
      }
    } finally {
      driver.streamDestroy(trial);
    }
  }

  /** Asks no more for products of {@code type}; or for none, if the library does not work. */
  private synchronized void decline(CublasType type, CublasException e) {
    Set<CublasType> more =
        DECLINED.contains(e.status()) ? EnumSet.of(type) : EnumSet.allOf(CublasType.class);
    if (declined.addAll(more)) {
      warn("of " + more + ": " + e.getMessage());
    }
  }

  private void warn(String reason) {
    LOGGER.log(Level.WARNING, () -> without(reason));
  }

  private String without(String reason) {
    return state.device()
        + " makes products of matrices without cuBLAS, by slower kernels: "
        + reason;
  }

  /**
   * Destroys the handle; the context is current, its work is over, and none is appended any more.
   * It is not asked again. The handle of a lost context stays: the library could only fail.
   */
  synchronized void destroy(CudaDriver driver) {
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
      driver.memFree(last.workspace);
    }
  }
}

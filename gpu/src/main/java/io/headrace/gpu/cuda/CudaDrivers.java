package io.headrace.gpu.cuda;

import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the CUDA driver of this machine, which comes with NVIDIA's kernel module. The system
 * property {@code headrace.cuda} selects how it is called: {@code ffm} (Java's foreign functions,
 * the default) or {@code jcuda}. {@code headrace.cuda.library} names the library where it lies
 * elsewhere. Nothing is a failure: a machine without the driver has no device, and a reason.
 */
public final class CudaDrivers {
  /** The system property that selects the binding. */
  static final String BINDING = "headrace.cuda";

  /** The system property with the path of the driver's library. */
  static final String LIBRARY = "headrace.cuda.library";

  /** The oldest driver's version: CUDA 11.0, the first to compile PTX 7.0. */
  static final int MIN_VERSION = 11000;

  /** Where the library is installed: found by the loader, or in a folder that it may not search. */
  private static final List<String> LIBRARIES =
      List.of(
          "libcuda.so.1",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
          "/usr/lib64/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/run/opengl-driver/lib/libcuda.so.1");

  private CudaDrivers() {}

  /** The search of this process, made on first use. */
  private static final class Made {
    static final CudaSearch SEARCH =
        search(System.getProperty(BINDING, FfmCudaDriver.NAME), libraries());
  }

  /**
   * Looks for the driver, once a process.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code headrace.cuda} names no binding
   */
  public static CudaSearch find() {
    checkBinding(System.getProperty(BINDING, FfmCudaDriver.NAME));
    return Made.SEARCH;
  }

  /**
   * Looks for the driver in the first of {@code libraries} that can be loaded.
   *
   * @param binding {@code ffm} or {@code jcuda}
   * @throws StatusException INVALID_ARGUMENT if there is no such binding
   */
  public static CudaSearch search(String binding, List<String> libraries) {
    checkBinding(binding);
    List<String> tried = new ArrayList<>();
    for (String name : libraries) {
      SymbolLookup library;
      try {
        library = load(name);
      } catch (IllegalArgumentException _) {
        tried.add(name + ": not found");
        continue;
      }
      tried.add(name + ": loaded");
      return open(binding, library, name, tried);
    }
    return new CudaSearch.Absent("the CUDA driver's library is not on this machine", tried);
  }

  /** The libraries to try: those of the system property, or where drivers are installed. */
  static List<String> libraries() {
    String named = System.getProperty(LIBRARY);
    return named == null ? LIBRARIES : List.of(named);
  }

  private static void checkBinding(String binding) {
    if (!binding.equals(FfmCudaDriver.NAME) && !binding.equals(JcudaCudaDriver.NAME)) {
      throw StatusException.invalidArgument(
          "%s must be %s or %s, not %s",
          BINDING, FfmCudaDriver.NAME, JcudaCudaDriver.NAME, binding);
    }
  }

  /** Loads a library for the life of the process. */
  @SuppressWarnings("restricted") // the driver, or what the user names in its place
  private static SymbolLookup load(String name) {
    return SymbolLookup.libraryLookup(name, Arena.global());
  }

  private static CudaSearch open(
      String binding, SymbolLookup library, String name, List<String> tried) {
    try {
      CudaDriver driver =
          binding.equals(JcudaCudaDriver.NAME)
              ? JcudaCudaDriver.open()
              : FfmCudaDriver.open(library);
      int version = driver.driverGetVersion();
      if (version < MIN_VERSION) {
        return new CudaSearch.Absent(
            "the driver supports CUDA %s, and %s is the least"
                .formatted(text(version), text(MIN_VERSION)),
            tried);
      }
      if (driver.deviceGetCount() == 0) {
        return new CudaSearch.Absent("the driver finds no device", tried);
      }
      return new CudaSearch.Found(driver, name, tried);
    } catch (IllegalArgumentException e) {
      return new CudaSearch.Absent(
          "the driver's library %s is too old, or not one: %s".formatted(name, e.getMessage()),
          tried);
    } catch (LinkageError e) {
      return new CudaSearch.Absent(
          "JCuda cannot be loaded; -D%s=%s does without it: %s"
              .formatted(BINDING, FfmCudaDriver.NAME, firstLine(e)),
          tried);
    } catch (CudaException e) {
      return new CudaSearch.Absent(
          e.result() == CudaResult.NO_DEVICE
              ? "the driver finds no device"
              : "the driver does not start: " + e.getMessage(),
          tried);
    }
  }

  private static String firstLine(LinkageError e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  /** A version of CUDA or of one of its libraries as its users write it: 12.4 for 12040. */
  public static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}

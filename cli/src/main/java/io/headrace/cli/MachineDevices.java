package io.headrace.cli;

import io.headrace.gpu.cuda.Cublas;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CublasSearch;
import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The devices of this machine, in lines for a reader.
 *
 * @param processors how many the JVM may use
 * @param search the outcome of the search for the CUDA driver
 * @param cublas where servers look for cuBLAS
 * @param visibleDevices the value of CUDA_VISIBLE_DEVICES, by which the driver hides devices
 * @param kernelModule the file in which NVIDIA's kernel module tells its version
 */
record MachineDevices(
    int processors,
    CudaSearch search,
    CublasLibraries cublas,
    Optional<String> visibleDevices,
    Path kernelModule) {
  private static final String VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";

  /** The devices of the machine on which this runs, with the outcome of {@code search}. */
  static MachineDevices of(CudaSearch search) {
    return new MachineDevices(
        Runtime.getRuntime().availableProcessors(),
        search,
        CublasLibraries.of(System.getenv()),
        Optional.ofNullable(System.getenv(VISIBLE_DEVICES)),
        Path.of("/proc/driver/nvidia/version"));
  }

  /** Prints one line for each device, or the reason why there is no GPU. */
  void list(PrintWriter out) {
    out.printf("CPU: %d processors%n", processors);
    switch (search) {
      case CudaSearch.Found(CudaDriver driver, _, _) ->
          CudaDevice.list(driver).forEach(device -> out.println("GPU: " + line(device)));
      case CudaSearch.Absent(String reason, _) -> out.println("no GPU: " + reason);
    }
    out.flush();
  }

  private static String line(CudaDevice device) {
    String unsupported =
        device.isSupported() ? "" : "; not used: compute capability 7.0 is the least";
    return "%s, memory: %d bytes%s"
        .formatted(device.physicalDescription(), device.totalBytes(), unsupported);
  }

  /** Prints how the driver and cuBLAS were looked for, and what decides which devices there are. */
  void explain(PrintWriter out) {
    switch (search) {
      case CudaSearch.Found(CudaDriver driver, String library, _) -> {
        int version = driver.driverGetVersion();
        out.printf("  driver: %s, CUDA %s%n", library, CudaDrivers.text(version));
        out.printf("  binding: %s%n", driver.binding());
        printTried(search.tried(), out);
        explainCublas(version, out);
      }
      case CudaSearch.Absent _ -> printTried(search.tried(), out);
    }
    out.printf("  NVIDIA's kernel module: %s%n", kernelModuleVersion());
    out.printf("  %s: %s%n", VISIBLE_DEVICES, visibleDevices.orElse("not set"));
    out.flush();
  }

  private static void printTried(List<String> tried, PrintWriter out) {
    tried.forEach(line -> out.println("  tried " + line));
  }

  private void explainCublas(int driverVersion, PrintWriter out) {
    CublasSearch found = cublas.search(driverVersion);
    switch (found) {
      case CublasSearch.Found(Cublas library, String path, _) ->
          out.printf("  cuBLAS %s: %s%n", CudaDrivers.text(library.version()), path);
      case CublasSearch.Absent(String reason, _) ->
          out.printf("  no cuBLAS, so slower products of matrices: %s%n", reason);
    }
    printTried(found.tried(), out);
  }

  private String kernelModuleVersion() {
    try {
      return Files.readString(kernelModule).lines().findFirst().orElse("of no version");
    } catch (IOException _) {
      return "not loaded (no " + kernelModule + ")";
    }
  }
}

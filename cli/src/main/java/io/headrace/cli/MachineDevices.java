package io.headrace.cli;

import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaSearch;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The devices of this machine, in lines for a reader.
 *
 * @param processors how many the JVM may use
 * @param search the outcome of the search for the CUDA driver
 * @param visibleDevices the value of CUDA_VISIBLE_DEVICES, by which the driver hides devices
 * @param kernelModule the file in which NVIDIA's kernel module tells its version
 */
record MachineDevices(
    int processors, CudaSearch search, Optional<String> visibleDevices, Path kernelModule) {
  private static final String VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";

  /** The devices of the machine on which this runs, with the outcome of {@code search}. */
  static MachineDevices of(CudaSearch search) {
    return new MachineDevices(
        Runtime.getRuntime().availableProcessors(),
        search,
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

  /** Prints how the driver was looked for, and what decides which devices it shows. */
  void explain(PrintWriter out) {
    switch (search) {
      case CudaSearch.Found(CudaDriver driver, String library, _) -> {
        int version = driver.driverGetVersion();
        out.printf("  driver: %s, CUDA %d.%d%n", library, version / 1000, version % 1000 / 10);
        out.printf("  binding: %s%n", driver.binding());
      }
      case CudaSearch.Absent _ -> {}
    }
    search.tried().forEach(line -> out.println("  tried " + line));
    out.printf("  NVIDIA's kernel module: %s%n", kernelModuleVersion());
    out.printf("  %s: %s%n", VISIBLE_DEVICES, visibleDevices.orElse("not set"));
    out.flush();
  }

  private String kernelModuleVersion() {
    try {
      return Files.readString(kernelModule).lines().findFirst().orElse("of no version");
    } catch (IOException _) {
      return "not loaded (no " + kernelModule + ")";
    }
  }
}

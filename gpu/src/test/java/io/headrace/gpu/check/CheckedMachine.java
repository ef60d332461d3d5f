package io.headrace.gpu.check;

import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.GpuOptions;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The first device of a driver, which is checked, and what is needed beside it.
 *
 * @param library the driver's library
 * @param cublas where cuBLAS is looked for
 * @param interpreter starts the interpreter of PTX behind another driver; nothing if the checked
 *     driver is that
 * @param cases the folder with the recorded answers of stock TensorFlow
 * @param python the interpreter of Python that may have peers
 * @param peers the program that measures them
 */
record CheckedMachine(
    CudaDriver driver,
    String library,
    CublasLibraries cublas,
    Supplier<Optional<CudaDriver>> interpreter,
    Path cases,
    String python,
    Path peers,
    CheckScale scale) {
  /** Where the version of NVIDIA's kernel module is. */
  private static final Path MODULE_VERSION = Path.of("/sys/module/nvidia/version");

  /** The device that is checked. */
  CudaDevice device() {
    return CudaDevice.list(driver).getFirst();
  }

  /** The driver's version, as its users know it, and that of the CUDA that it supports. */
  String driverVersion() {
    int cuda = driver.driverGetVersion();
    String text = "CUDA %d.%d".formatted(cuda / 1000, cuda % 1000 / 10);
    try {
      return Files.exists(MODULE_VERSION)
          ? Files.readString(MODULE_VERSION).strip() + " (" + text + ")"
          : text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens the device; it takes memory as it needs it. */
  GpuDevice open() {
    return open(driver);
  }

  /** Opens the first device of another driver. */
  static GpuDevice open(CudaDriver driver) {
    return GpuDevice.open(
        driver, 0, GpuOptions.DEFAULT.withAllowGrowth(true), SystemTicker.INSTANCE);
  }

  /** Opens the device so that cuBLAS makes products. */
  GpuDevice openWithCublas() {
    GpuOptions options = GpuOptions.DEFAULT.withAllowGrowth(true).withCublas(cublas);
    return GpuDevice.open(driver, 0, options, SystemTicker.INSTANCE);
  }

  /** Opens the device with all its memory taken, so that the driver allocates none later. */
  GpuDevice openWithAllMemory() {
    return GpuDevice.open(driver, 0, GpuOptions.DEFAULT, SystemTicker.INSTANCE);
  }
}

package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.GpuOptions;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A device of the fake driver. */
record GpuLab(FakeCuda fake, GpuDevice device) implements AutoCloseable {
  private static final int MEMORY_BYTES = 16 << 20;

  static GpuLab open(String binding, long seed) {
    return open(binding, seed, driver -> driver);
  }

  /** A device behind a driver that {@code wrapping} makes of the fake one's. */
  static GpuLab open(String binding, long seed, UnaryOperator<CudaDriver> wrapping) {
    return open(binding, FakeCudaConfig.DEFAULT.withSeed(seed), wrapping);
  }

  /** A device whose products the fake cuBLAS makes. */
  static GpuLab openWithCublas(long seed) {
    CublasLibraries libraries = new CublasLibraries(List.of(FakeCuda.library().toString()));
    return open("ffm", FakeCudaConfig.DEFAULT.withSeed(seed), driver -> driver, libraries);
  }

  /** The same on a machine of {@code config}, but with less memory. */
  static GpuLab open(String binding, FakeCudaConfig config, UnaryOperator<CudaDriver> wrapping) {
    return open(binding, config, wrapping, CublasLibraries.NONE);
  }

  private static GpuLab open(
      String binding,
      FakeCudaConfig config,
      UnaryOperator<CudaDriver> wrapping,
      CublasLibraries cublas) {
    FakeCuda fake = FakeCuda.start(config.withMemoryBytes(MEMORY_BYTES));
    CudaDriver driver =
        switch (CudaDrivers.search(binding, List.of(FakeCuda.library().toString()))) {
          case CudaSearch.Found(CudaDriver found, _, _) -> wrapping.apply(found);
          case CudaSearch.Absent(String reason, _) -> throw new AssertionError(reason);
        };
    GpuOptions options = GpuOptions.DEFAULT.withAllowGrowth(true).withCublas(cublas);
    return new GpuLab(fake, GpuDevice.open(driver, 0, options, () -> 0));
  }

  /** The bindings that this platform has. */
  static Stream<String> bindings() {
    return System.getProperty("os.arch").equals("amd64")
        ? Stream.of("ffm", "jcuda")
        : Stream.of("ffm");
  }

  /** Fails if something went wrong on the device. */
  void check() {
    assertThat(fake.faults()).isEmpty();
  }

  @Override
  public void close() {
    device.close();
    fake.close();
  }
}

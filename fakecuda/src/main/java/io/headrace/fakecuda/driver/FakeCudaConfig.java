package io.headrace.fakecuda.driver;

/**
 * The machine that a {@link FakeCuda} stands for.
 *
 * @param devices how many there are
 * @param memoryBytes the memory of each
 * @param driverVersion the CUDA version: 1000 * major + 10 * minor
 * @param capability 10 * major + minor of the compute capability
 * @param seed decides in which order work runs
 */
public record FakeCudaConfig(
    int devices, long memoryBytes, int driverVersion, int capability, long seed) {
  /** One device of 64 MiB and compute capability 7.0. */
  public static final FakeCudaConfig DEFAULT = new FakeCudaConfig(1, 64 << 20, 12040, 70, 1);

  /** This machine with another number of devices. */
  public FakeCudaConfig withDevices(int count) {
    return new FakeCudaConfig(count, memoryBytes, driverVersion, capability, seed);
  }

  /** This machine with other memory. */
  public FakeCudaConfig withMemoryBytes(long bytes) {
    return new FakeCudaConfig(devices, bytes, driverVersion, capability, seed);
  }

  /** This machine with another driver. */
  public FakeCudaConfig withDriverVersion(int version) {
    return new FakeCudaConfig(devices, memoryBytes, version, capability, seed);
  }

  /** This machine with devices of another compute capability. */
  public FakeCudaConfig withCapability(int number) {
    return new FakeCudaConfig(devices, memoryBytes, driverVersion, number, seed);
  }

  /** This machine with work in another order. */
  public FakeCudaConfig withSeed(long number) {
    return new FakeCudaConfig(devices, memoryBytes, driverVersion, capability, number);
  }
}

package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.KernelLaunch;

/**
 * The machine that a {@link FakeCuda} stands for.
 *
 * @param devices how many there are
 * @param memoryBytes the memory of each
 * @param driverVersion the CUDA version: 1000 * major + 10 * minor
 * @param capability 10 * major + minor of the compute capability
 * @param seed decides in which order work runs
 * @param recoversFromFaults whether a device that was lost works again in a context that is made
 *     anew; if not, none can be made while the process lives, as with the drivers of real devices
 *     (measured: an H100 with driver 580.159 refuses after the faults 700 and 719)
 * @param maxSteps the instructions that all threads of a launch may execute together; a launch of
 *     more has timed out
 */
public record FakeCudaConfig(
    int devices,
    long memoryBytes,
    int driverVersion,
    int capability,
    long seed,
    boolean recoversFromFaults,
    long maxSteps) {
  /** One device of 64 MiB and compute capability 7.0, which does not recover. */
  public static final FakeCudaConfig DEFAULT =
      new FakeCudaConfig(1, 64 << 20, 12040, 70, 1, false, KernelLaunch.MANY_STEPS);

  /** This machine with another number of devices. */
  public FakeCudaConfig withDevices(int count) {
    return new FakeCudaConfig(
        count, memoryBytes, driverVersion, capability, seed, recoversFromFaults, maxSteps);
  }

  /** This machine with other memory. */
  public FakeCudaConfig withMemoryBytes(long bytes) {
    return new FakeCudaConfig(
        devices, bytes, driverVersion, capability, seed, recoversFromFaults, maxSteps);
  }

  /** This machine with another driver. */
  public FakeCudaConfig withDriverVersion(int version) {
    return new FakeCudaConfig(
        devices, memoryBytes, version, capability, seed, recoversFromFaults, maxSteps);
  }

  /** This machine with devices of another compute capability. */
  public FakeCudaConfig withCapability(int number) {
    return new FakeCudaConfig(
        devices, memoryBytes, driverVersion, number, seed, recoversFromFaults, maxSteps);
  }

  /** This machine with work in another order. */
  public FakeCudaConfig withSeed(long number) {
    return new FakeCudaConfig(
        devices, memoryBytes, driverVersion, capability, number, recoversFromFaults, maxSteps);
  }

  /** This machine with devices that work again after a loss, or not. */
  public FakeCudaConfig withRecoversFromFaults(boolean recovers) {
    return new FakeCudaConfig(
        devices, memoryBytes, driverVersion, capability, seed, recovers, maxSteps);
  }

  /** This machine with another limit of a launch's instructions. */
  public FakeCudaConfig withMaxSteps(long steps) {
    return new FakeCudaConfig(
        devices, memoryBytes, driverVersion, capability, seed, recoversFromFaults, steps);
  }
}

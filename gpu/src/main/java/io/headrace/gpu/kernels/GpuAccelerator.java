package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.execute.DeviceKernels;

/** A GPU that a server offers. Owns the device. Thread-safe. */
final class GpuAccelerator implements Accelerator {
  private final GpuDevice device;
  private final DeviceKernels kernels;

  GpuAccelerator(GpuDevice device) {
    this.device = device;
    kernels = new GpuKernels(device);
  }

  @Override
  public String type() {
    return Device.GPU;
  }

  @Override
  public long memoryLimit() {
    return device.memoryLimit();
  }

  @Override
  public String description() {
    return device.description().physicalDescription();
  }

  @Override
  public DeviceKernels kernels() {
    return kernels;
  }

  @Override
  public void close() {
    PlatformThreads.call(() -> {
      device.close();
      return device;
    });
  }
}

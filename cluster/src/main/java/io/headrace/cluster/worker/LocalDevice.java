package io.headrace.cluster.worker;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.DeviceLocality;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.execute.DeviceKernels;

/**
 * A device of this server, with its lifetime.
 *
 * @param device the name and type
 * @param incarnation the incarnation, which differs from that of another process's device of this
 *     name; not 0
 * @param memoryLimit the bytes of memory that it says it has
 * @param description TensorFlow's {@code physical_device_desc}; empty for a CPU
 * @param kernels makes its kernels
 * @param resources the resources that outlive sessions, such as variables
 */
public record LocalDevice(
    Device device,
    long incarnation,
    long memoryLimit,
    String description,
    DeviceKernels kernels,
    Resources resources) {
  /** The memory limit that stock servers report for a CPU, whatever the host has. */
  private static final long CPU_MEMORY_BYTES = 256L << 20;

  /** A CPU. */
  static LocalDevice cpu(String name, long incarnation, Resources resources) {
    return new LocalDevice(
        new Device(name, Device.CPU),
        incarnation,
        CPU_MEMORY_BYTES,
        "",
        DeviceKernels.cpu(),
        resources);
  }

  /** An accelerator. */
  static LocalDevice of(
      Accelerator accelerator, String name, long incarnation, Resources resources) {
    return new LocalDevice(
        new Device(name, accelerator.type()),
        incarnation,
        accelerator.memoryLimit(),
        accelerator.description(),
        accelerator.kernels(),
        resources);
  }

  /** The attributes that GetStatus reports. */
  DeviceAttributes attributes() {
    return DeviceAttributes.newBuilder()
        .setName(device.name())
        .setDeviceType(device.type())
        .setMemoryLimit(memoryLimit)
        .setPhysicalDeviceDesc(description)
        .setLocality(DeviceLocality.getDefaultInstance())
        .setIncarnation(incarnation)
        .setXlaGlobalId(-1)
        .build();
  }
}

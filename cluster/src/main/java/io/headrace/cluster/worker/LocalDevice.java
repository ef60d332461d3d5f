package io.headrace.cluster.worker;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.DeviceLocality;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;

/**
 * A device of this server, with its lifetime.
 *
 * @param device the name and type
 * @param incarnation the incarnation, which differs from that of another process's device of this
 *     name; not 0
 * @param resources the resources that outlive sessions, such as variables
 */
public record LocalDevice(Device device, long incarnation, Resources resources) {
  /** The memory limit that stock servers report for a CPU, whatever the host has. */
  private static final long CPU_MEMORY_BYTES = 256L << 20;

  /** The attributes that GetStatus reports. */
  DeviceAttributes attributes() {
    return DeviceAttributes.newBuilder()
        .setName(device.name())
        .setDeviceType(device.type())
        .setMemoryLimit(CPU_MEMORY_BYTES)
        .setLocality(DeviceLocality.getDefaultInstance())
        .setIncarnation(incarnation)
        .setXlaGlobalId(-1)
        .build();
  }
}

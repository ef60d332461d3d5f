package io.headrace.cluster.worker;

import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.DeviceLocality;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;

/**
 * A device of a server, for as long as the server lives.
 *
 * @param device its name and type
 * @param incarnation a number that another process's device of that name does not have; not 0
 * @param resources what outlives the sessions on it
 */
public record LocalDevice(Device device, long incarnation, Resources resources) {
  /** What stock servers say of a CPU, whatever the host has. */
  private static final long CPU_MEMORY_BYTES = 256L << 20;

  /** What peers are told of it. */
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

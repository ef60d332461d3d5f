package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;

/**
 * The placement of a node: its device and the state there.
 *
 * @param device the device
 * @param resources the device's variables, tables and queues
 * @param devices the devices on which the node may call functions
 * @param tensors the tensors that the session keeps between steps
 * @param kernels makes the device's kernels
 */
public record NodePlacement(
    Device device,
    Resources resources,
    RemoteDevices devices,
    SessionTensors tensors,
    DeviceKernels kernels) {
  /** A placement on a CPU that cannot call other devices. */
  public NodePlacement(Device device, Resources resources) {
    this(device, resources, RemoteDevices.none(), new SessionTensors(), DeviceKernels.cpu());
  }
}

package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;

/**
 * Where nodes run.
 *
 * @param device the device
 * @param resources the variables, tables and queues that nodes on it see
 * @param devices the devices that nodes may call functions on
 * @param tensors what the session's steps leave to later ones
 */
public record Place(
    Device device, Resources resources, RemoteDevices devices, SessionTensors tensors) {
  /** A place from which no other device can be called. */
  public Place(Device device, Resources resources) {
    this(device, resources, RemoteDevices.none(), new SessionTensors());
  }
}

package io.headrace.runtime.execute;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;

/**
 * Where nodes run.
 *
 * @param device the device
 * @param resources the variables, tables and queues that nodes on it see
 */
public record Place(Device device, Resources resources) {}

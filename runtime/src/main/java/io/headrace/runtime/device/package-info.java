/**
 * Devices: names and specifications ({@link io.headrace.runtime.device.DeviceSpec}), the state on a
 * device that outlives a step ({@link io.headrace.runtime.device.Resources}), and calls to other
 * devices ({@link io.headrace.runtime.device.RemoteDevices}). Begin with {@code Device} and {@code
 * Resources}.
 */
@NullMarked
package io.headrace.runtime.device;

import org.jspecify.annotations.NullMarked;

package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;
import io.headrace.runtime.status.Cancellation;

/**
 * What surrounds the run of a graph or function.
 *
 * @param stepId tells this run from others of the process
 * @param device the device that kernels run on
 * @param resources where variables, tables and generators live
 * @param cancellation ends the run early
 * @param devices the devices that parts of functions can be pinned to
 * @param tensors what steps of the session leave to later ones
 */
public record StepContext(
    long stepId,
    Device device,
    Resources resources,
    Cancellation cancellation,
    RemoteDevices devices,
    SessionTensors tensors) {
  /** A step of no session. */
  public StepContext(
      long stepId,
      Device device,
      Resources resources,
      Cancellation cancellation,
      RemoteDevices devices) {
    this(stepId, device, resources, cancellation, devices, new SessionTensors());
  }

  /** A step of no session, of which nothing can be pinned to another device. */
  public StepContext(long stepId, Device device, Resources resources, Cancellation cancellation) {
    this(stepId, device, resources, cancellation, RemoteDevices.none());
  }

  /** A step on the host's CPU that holds no resources of others and is not cancelled by anyone. */
  public static StepContext standalone() {
    return new StepContext(0, Device.HOST, new Resources(), new Cancellation());
  }

  /** This context with another cancellation. */
  public StepContext withCancellation(Cancellation other) {
    return new StepContext(stepId, device, resources, other, devices, tensors);
  }
}

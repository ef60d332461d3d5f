package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;
import io.headrace.runtime.status.Cancellation;

/**
 * The context of one run of a graph or function.
 *
 * @param stepId identifies the run within the process
 * @param device the device that runs the kernels
 * @param resources the device's variables, tables and generators
 * @param cancellation cancels the run
 * @param devices the devices to which parts of functions can be pinned
 * @param tensors the tensors that the session keeps between steps
 * @param outputs bounds the bytes that the functions of the run output
 * @param kernelTimes takes the time of the functions' kernels
 */
public record StepContext(
    long stepId,
    Device device,
    Resources resources,
    Cancellation cancellation,
    RemoteDevices devices,
    SessionTensors tensors,
    OutputBudget outputs,
    KernelTimes kernelTimes) {
  /** A step whose outputs have no bound, and whose kernels are not measured. */
  public StepContext(
      long stepId,
      Device device,
      Resources resources,
      Cancellation cancellation,
      RemoteDevices devices,
      SessionTensors tensors) {
    this(
        stepId,
        device,
        resources,
        cancellation,
        devices,
        tensors,
        OutputBudget.unlimited(),
        KernelTimes.NONE);
  }

  /** A step outside of a session. */
  public StepContext(
      long stepId,
      Device device,
      Resources resources,
      Cancellation cancellation,
      RemoteDevices devices) {
    this(stepId, device, resources, cancellation, devices, new SessionTensors());
  }

  /** A step outside of a session that can call no other device. */
  public StepContext(long stepId, Device device, Resources resources, Cancellation cancellation) {
    this(stepId, device, resources, cancellation, RemoteDevices.none());
  }

  /** A step on the host's CPU with resources of its own and no caller to cancel it. */
  public static StepContext standalone() {
    return new StepContext(0, Device.HOST, new Resources(), new Cancellation());
  }

  /** This context with another cancellation. */
  public StepContext withCancellation(Cancellation other) {
    return new StepContext(
        stepId, device, resources, other, devices, tensors, outputs, kernelTimes);
  }

  /** This context with a bound on what its functions output. */
  public StepContext withOutputs(OutputBudget other) {
    return new StepContext(
        stepId, device, resources, cancellation, devices, tensors, other, kernelTimes);
  }

  /** This context, whose kernels are measured by {@code other}. */
  public StepContext withKernelTimes(KernelTimes other) {
    return new StepContext(
        stepId, device, resources, cancellation, devices, tensors, outputs, other);
  }
}

package io.headrace.runtime.device;

/**
 * A device that runs kernels.
 *
 * @param name TensorFlow's full name: {@code /job:localhost/replica:0/task:0/device:CPU:0}
 * @param type the type that kernels are registered for: {@code CPU}
 */
public record Device(String name, String type) {
  /** The type of host devices. */
  public static final String CPU = "CPU";

  /** The type of GPUs. */
  public static final String GPU = "GPU";

  /** The first CPU of a process outside of any cluster. */
  public static final Device HOST = new Device("/job:localhost/replica:0/task:0/device:CPU:0", CPU);
}

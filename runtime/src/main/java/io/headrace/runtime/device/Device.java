package io.headrace.runtime.device;

/**
 * Something that runs kernels.
 *
 * @param name TensorFlow's full name: {@code /job:localhost/replica:0/task:0/device:CPU:0}
 * @param type what kernels are registered for: {@code CPU}
 */
public record Device(String name, String type) {
  /** The type of host devices. */
  public static final String CPU = "CPU";

  /** The first CPU of a process that is part of no cluster. */
  public static final Device HOST = new Device("/job:localhost/replica:0/task:0/device:CPU:0", CPU);
}

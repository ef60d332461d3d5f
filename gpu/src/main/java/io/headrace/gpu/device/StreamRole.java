package io.headrace.gpu.device;

/** The streams of a context: one for each kind of work, so that copies and kernels overlap. */
public enum StreamRole {
  /** Kernels, and copies within the device. */
  COMPUTE,
  /** Copies from the host. */
  TO_DEVICE,
  /** Copies to the host. */
  TO_HOST;

  /** How many there are. */
  static final int COUNT = values().length;
}

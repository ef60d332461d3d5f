package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;

/** One call of a kernel: its inputs, where its outputs go, and what surrounds it. */
public interface KernelCall {
  /** Number of inputs, control inputs not among them. */
  int inputs();

  /** Input {@code index}: lent, immutable, may be kept. */
  Tensor input(int index);

  /** Sets output {@code index}; the array of {@code value} must not be written to afterwards. */
  void setOutput(int index, Tensor value);

  /** What the call is part of. */
  StepContext step();

  /** The device that the kernel runs on. */
  default Device device() {
    return step().device();
  }

  /** Where variables, tables and generators live. */
  default Resources resources() {
    return step().resources();
  }

  /** Asked by loops that can take long. */
  default Cancellation cancellation() {
    return step().cancellation();
  }
}

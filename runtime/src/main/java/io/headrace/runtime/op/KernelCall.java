package io.headrace.runtime.op;

import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;

/** One call of a kernel: its inputs, outputs and context. */
public interface KernelCall {
  /** The number of inputs, without control inputs. */
  int inputs();

  /**
   * Input {@code index}: immutable and shared. Outputs may refer to its array. Beyond that, the
   * kernel may keep it only if its op has an effect, reads state, or takes or returns variants or
   * resources: after its last use the array serves for other values.
   */
  Tensor input(int index);

  /** Sets output {@code index}; the array of {@code value} must not be written to afterwards. */
  void setOutput(int index, Tensor value);

  /** The step that the call belongs to. */
  StepContext step();

  /** The device that the kernel runs on. */
  default Device device() {
    return step().device();
  }

  /** The device's resources: variables, tables, generators. */
  default Resources resources() {
    return step().resources();
  }

  /** The step's cancellation, which long loops check. */
  default Cancellation cancellation() {
    return step().cancellation();
  }
}

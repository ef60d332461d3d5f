package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * A device's kernel for a scalar program whose operands are elements of tensors in any order.
 * Thread-safe.
 */
@FunctionalInterface
public interface StridedKernel {
  /**
   * Computes the result.
   *
   * @param tensors the tensor that each operand is read from
   * @param plan which of their elements; at least 1 result
   * @param shape the shape of the result
   * @return nothing if an element has an error, or if the device had better run the nodes one by
   *     one
   */
  Optional<Tensor> compute(
      List<Tensor> tensors, StridedPlan plan, Shape shape, Cancellation cancellation);
}

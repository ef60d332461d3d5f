package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.Variant;

/**
 * ZerosLike and AddN of variant tensors. Gradients need zeros for values without a gradient and
 * sums of the gradients of several uses of a value. Both apply to the tensors within lists and
 * optionals.
 */
public final class VariantMath {
  private VariantMath() {}

  /** Sets output 0 to the zeros of input 0. */
  public static void zerosLike(KernelCall call) {
    call.setOutput(0, zeros(call.input(0)));
  }

  /**
   * A tensor of zeros with the dtype and shape of {@code tensor}; variants become their zeros.
   *
   * @throws StatusException INVALID_ARGUMENT if the dtype has no zeros, INTERNAL if the type of a
   *     variant has none
   */
  public static Tensor zeros(Tensor tensor) {
    if (tensor.dtype() != DataType.VARIANT) {
      if (!tensor.dtype().isNumber() && tensor.dtype() != DataType.BOOL) {
        throw invalidArgument(
            "Trying to compute zeros_like for unsupported dtype %s", tensor.dtype().tfName());
      }
      return TensorList.zeros(tensor.dtype(), tensor.shape());
    }
    Object[] zeros = new Object[tensor.elements()];
    for (int i = 0; i < zeros.length; i++) {
      zeros[i] = addable(tensor, i, "unary_op function found for op ZEROS_LIKE").zeros();
    }
    return Tensor.wrap(DataType.VARIANT, tensor.shape(), zeros);
  }

  private static AddableVariant addable(Tensor tensor, int index, String wanted) {
    return switch (tensor.reference(index)) {
      case AddableVariant addable -> addable;
      case Variant.Encoded(var proto) when proto.getTypeName().equals(TensorList.TYPE_NAME) ->
          TensorList.ofElement(tensor, index);
      case Variant.Encoded(var proto) when proto.getTypeName().equals(TensorMap.TYPE_NAME) ->
          TensorMap.ofElement(tensor, index);
      case Variant.Encoded(var proto) -> throw none(wanted, proto.getTypeName());
      case Object other -> throw none(wanted, other.getClass().getSimpleName());
    };
  }

  private static StatusException none(String wanted, String type) {
    return StatusException.of(
        StatusCode.INTERNAL,
        "No unary variant %s Variant type_name: %s for device type: CPU",
        wanted,
        type);
  }

  /** Sets output 0 to the sum of all inputs, which are variants. */
  public static void sum(KernelCall call) {
    Tensor total = call.input(0);
    for (int i = 1; i < call.inputs(); i++) {
      call.cancellation().check();
      total = sum(total, call.input(i));
    }
    call.setOutput(0, total);
  }

  /**
   * The sum of two tensors of the same shape, element by element.
   *
   * @throws StatusException INVALID_ARGUMENT if dtypes or shapes differ or the dtype has no sums;
   *     INTERNAL if variants differ in type or their type has no sums
   */
  public static Tensor sum(Tensor a, Tensor b) {
    check(a, b);
    if (a.dtype() != DataType.VARIANT) {
      Object array = TensorLimit.allocate(a.dtype(), a.shape());
      Combiner.UPDATE.into(
          a.dtype(), array, 0, TensorMemory.array(a), TensorMemory.offset(a), a.elements());
      Combiner.ADD.into(
          a.dtype(), array, 0, TensorMemory.array(b), TensorMemory.offset(b), a.elements());
      return Tensor.wrap(a.dtype(), a.shape(), array);
    }
    Object[] sums = new Object[a.elements()];
    for (int i = 0; i < sums.length; i++) {
      sums[i] =
          sum(
              addable(a, i, "binary_op function found for op ADD"),
              addable(b, i, "binary_op function found for op ADD"));
    }
    return Tensor.wrap(DataType.VARIANT, a.shape(), sums);
  }

  private static void check(Tensor a, Tensor b) {
    if (a.dtype() != b.dtype()) {
      throw invalidArgument(
          "Trying to add two tensors with incompatible element types. One is %s and the other is"
              + " %s",
          a.dtype().tfName(), b.dtype().tfName());
    }
    if (!a.shape().equals(b.shape())) {
      throw invalidArgument(
          "Trying to add two tensors with incompatible element shapes. One is %s and the other is"
              + " %s",
          a.shape(), b.shape());
    }
    if (!a.dtype().isNumber() && a.dtype() != DataType.VARIANT) {
      throw invalidArgument("Trying to add unsupported dtype %d", a.dtype().number());
    }
  }

  private static AddableVariant sum(AddableVariant a, AddableVariant b) {
    if (!a.typeName().equals(b.typeName())) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "BinaryOpVariants: Variants a and b have different type ids.  Type names: '%s' vs. '%s'",
          a.typeName(),
          b.typeName());
    }
    return a.plus(b);
  }
}
